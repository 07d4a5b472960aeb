import { randomBytes } from 'node:crypto';
import { DAY_MS } from '../api/clock';
import { ValidationError } from '../api/errors';
import type { PathSource, S3Source } from '../api/upload/sources/source';
import type { FileLocation } from '../files/file-location';
import { deleteFileAt, listFilesAt } from '../files/files';
import type { FileEntry } from '../files/files';
import { seal, sealKeysOf, unseal } from '../temporal/seal';
import type { GatewayConfig } from './gateway-config';
import type { Call, GatewayContext } from './route';

/** A file that a client sent. It is kept for one upload, and for a day until that begins. */
export type KeptSource = PathSource | S3Source;

export const KEPT_MS = DAY_MS;
/** For an upload that is paused and never continues. */
const CLAIMED_MS = 30 * DAY_MS;

const PREFIX = 'kept:';
/** Of the file itself, and of what says that a worker has claimed it. */
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

/** Removes files that no worker has claimed for an upload within a day, and those of uploads that never ended. */
export async function sweepKept(
  { config, files }: Pick<GatewayContext, 'config' | 'files'>,
  now: number,
): Promise<void> {
  const folder = keptFolder(config);
  if (folder === undefined) return;
  const { spoolDir } = config.worker ?? {};
  const access = { ...files, outputRoots: spoolDir === undefined ? [] : [spoolDir] };
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
