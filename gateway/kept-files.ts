import { randomBytes } from 'node:crypto';
import { DAY_MS } from '../api/clock';
import { ValidationError } from '../api/errors';
import { isRecord } from '../api/json';
import type { PathSource, S3Source } from '../api/upload/sources/source';
import type { FileLocation } from '../files/file-location';
import { createFileAt, deleteFileAt, hasFileAt, listFilesAt, readTextAt } from '../files/files';
import type { FileEntry } from '../files/files';
import type { FileAccess } from '../files/output-path';
import { CLAIMED, KEPT } from '../files/sources/spool-file';
import { seal, sealKeysOf, unseal } from '../temporal/seal';
import type { UploadHandle } from '../temporal/upload/client/open-upload';
import { startedInput } from '../temporal/upload/client/upload-input';
import { AnsweredError } from './error-answer';
import type { GatewayConfig } from './gateway-config';
import type { Call, GatewayContext } from './route';

/** A file that a client sent. It is kept for one upload, and for a day until that begins. */
export type KeptSource = PathSource | S3Source;

export const KEPT_MS = DAY_MS;
/** For an upload that is paused and never continues. */
const CLAIMED_MS = 30 * DAY_MS;

const PREFIX = 'kept:';
/** Of the file itself and of what says that an upload has claimed it. */
const NAME = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(?:claimed|kept(?:\/[^/]+)?)$/;

/** Where files are kept. Undefined: nowhere. */
export function keptFolder({ sentFiles, worker }: GatewayConfig): FileLocation | undefined {
  if (sentFiles !== undefined || worker?.spoolDir === undefined) return sentFiles;
  return { kind: 'path', path: worker.spoolDir };
}

/** Begins with the time, in the form of a UUID. */
export function newKeptId(now: number): string {
  const hex = now.toString(16).padStart(12, '0') + randomBytes(10).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** What a start takes as `source`. Only this account can use it, and it shows nothing. */
export function keptText(source: KeptSource, { account, accountId }: Call['caller']): string {
  const { keyId, sealed } = seal(sealKeysOf(account.secretKey), JSON.stringify(source), purpose(accountId));
  return `${PREFIX}${keyId}.${sealed}`;
}

/** Undefined: the text names another kind of source. Throws a `ValidationError` if this account was not given it. */
export function keptSource(
  text: string,
  { account, accountId, previousSecretKeys }: Call['caller'],
): KeptSource | undefined {
  if (!text.startsWith(PREFIX)) return undefined;
  const [keyId = '', sealed = ''] = text.slice(PREFIX.length).split('.');
  try {
    const keys = sealKeysOf(account.secretKey, previousSecretKeys);
    return JSON.parse(unseal(keys, { keyId, sealed }, purpose(accountId))) as KeptSource;
  } catch {
    throw new ValidationError('source', 'source is not what POST /v1/files answered for this account.');
  }
}

/** Accounts may share a secret key. */
const purpose = (accountId: string): string => `kept file of ${accountId}`;

type Keeping = Pick<GatewayContext, 'config' | 'files'>;

/**
 * Makes the file this upload's, as often as it is asked. Rejects with 409 if it is another upload's, or if it was
 * removed.
 */
export async function claimFile(keeping: Keeping, source: KeptSource, workflowId: string): Promise<void> {
  // A file of another machine: its worker claims it.
  if (!isHere(keeping, source)) return;
  const access = keptAccess(keeping);
  const claim = claimOf(source);
  const claimedBy = await readTextAt(access, claim);
  if (claimedBy === undefined) {
    if (!(await hasFileAt(access, source))) throw notKept('It was removed: a day has passed.');
    if (!(await createFileAt(access, claim, workflowId))) return claimFile(keeping, source, workflowId);
  } else if (claimedBy !== '' && claimedBy !== workflowId) throw notKept('Another upload has it.');
}

/** After a start that was refused: another one may have the file. */
export async function unclaimFile(keeping: Keeping, source: KeptSource): Promise<void> {
  if (isHere(keeping, source)) await deleteFileAt(keptAccess(keeping), claimOf(source));
}

/** After a start that joined an upload: removes the file if that upload has one of its own. */
export async function dropUnused(
  call: Keeping & Pick<Call, 'connection'>,
  source: KeptSource,
  { workflowId, runId = '' }: UploadHandle,
): Promise<void> {
  if (!isHere(call, source)) return;
  const input = await startedInput(call.connection, { workflowId, runId });
  const used = isRecord(input) && isRecord(input['source']) ? input['source'] : {};
  const isUsed = source.kind === 'path' ? used['path'] === source.path : used['key'] === source.key;
  if (!isUsed) await deleteFileAt(keptAccess(call), source);
}

/** Removes files that no upload has claimed within a day, and those of uploads that never ended. */
export async function sweepKept(keeping: Keeping, now: number): Promise<void> {
  const folder = keptFolder(keeping.config);
  if (folder === undefined) return;
  const access = keptAccess(keeping);
  const kept = new Map<string, FileEntry[]>();
  for await (const entry of listFilesAt(access, folder)) {
    const [, id] = NAME.exec(entry.name) ?? [];
    if (id !== undefined) kept.set(id, [...(kept.get(id) ?? []), entry]);
  }
  for (const [id, entries] of kept) {
    const ageMs = now - Number.parseInt(id.replace('-', '').slice(0, 12), 16);
    // The file and its claim. A claim alone says that the upload has ended.
    if (ageMs < (entries.length > 1 ? CLAIMED_MS : KEPT_MS)) continue;
    for (const { location } of entries) await deleteFileAt(access, location);
  }
}

function keptAccess({ config, files }: Keeping): FileAccess {
  const { spoolDir } = config.worker ?? {};
  return { ...files, outputRoots: spoolDir === undefined ? [] : [spoolDir] };
}

function isHere({ config }: Keeping, source: KeptSource): boolean {
  return source.kind === 's3' || source.host === config.worker?.host;
}

function claimOf(source: KeptSource): FileLocation {
  const claimed = (text: string): string => text.slice(0, text.lastIndexOf(KEPT)) + CLAIMED;
  return source.kind === 'path'
    ? { ...source, path: claimed(source.path) }
    : { ...source, key: claimed(source.key) };
}

function notKept(why: string): AnsweredError {
  return new AnsweredError(409, 'SourceMissing', `The file of this source can't be used. ${why}`, {
    field: 'source',
    hint: 'Send the file to POST /v1/files again.',
  });
}
