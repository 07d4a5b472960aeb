import { createHash, randomBytes } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { DAY_MS } from '../api/clock';
import { hasCode, ValidationError } from '../api/errors';
import { given } from '../api/json';
import type { PathSource, S3Source } from '../api/upload/sources/source';
import { locationWithin } from '../files/file-location';
import type { FileLocation } from '../files/file-location';
import { deleteFileAt, listFilesAt } from '../files/files';
import type { FileEntry } from '../files/files';
import { KEPT, spoolFile } from '../files/sources/spool-file';
import { seal, sealKeysOf, unseal } from '../temporal/seal';
import { AnsweredError } from './error-answer';
import { limitsOf } from './gateway-config';
import type { GatewayConfig } from './gateway-config';
import type { Answer, Call, GatewayContext, Route } from './route';
import { text } from './schemas';

/** A file that a client sent. It is kept for one upload, and for a day until that begins. */
export type KeptSource = PathSource | S3Source;

const KEPT_MS = DAY_MS;
/** For an upload that is paused and never continues. */
const CLAIMED_MS = 30 * DAY_MS;

const PREFIX = 'kept:';
/** Of the file itself, and of what says that a worker has claimed it. */
const NAME = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(?:claimed|kept(?:\/[^/]+)?)$/;

/** Where files are kept. Undefined: nowhere. */
function keptFolder({ sentFiles, worker }: GatewayConfig): FileLocation | undefined {
  if (sentFiles !== undefined || worker?.spoolDir === undefined) return sentFiles;
  return { kind: 'path', path: worker.spoolDir };
}

/** Begins with the time, in the form of a UUID. */
function newKeptId(now: number): string {
  const hex = now.toString(16).padStart(12, '0') + randomBytes(10).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
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

/** The free space is looked at after so many bytes. */
const CHECK_BYTES = 64 * 1024 * 1024;

export const FILES_ROUTE: Route = {
  method: 'POST',
  path: '/v1/files',
  operationId: 'sendFile',
  summary: 'Send a file as the body, of any type. It is kept for one upload, and for a day until that begins',
  right: 'start',
  query: { fileName: text('Its name, which shows its type', { minLength: 1, maxLength: 200 }) },
  required: ['fileName'],
  body: 'stream',
  answer: 'File',
  handle: receive,
};

async function receive(call: Call): Promise<Answer> {
  const { query, caller, config, clock, incoming } = call;
  const fileName = String(query['fileName']);
  // It becomes a part of a key in S3.
  if (/[/\\\p{Cc}]|^\.{1,2}$/u.test(fileName)) {
    throw new ValidationError('fileName', 'fileName must be the name of a file, without folders.');
  }
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = incoming.headers;
  if (type.startsWith('multipart/') || encoding !== 'identity') {
    throw new AnsweredError(415, 'Validation', 'The body must be the file itself.', {
      hint: 'Send its bytes alone, not as a form and not compressed: curl -T film.mp4, or n8n Binary File.',
    });
  }
  const now = clock.now();
  const receiving = { incoming, limits: limitsOf(config), hash: createHash('sha256'), bytes: 0 };
  const file = await keep(call, receiving, { fileName, id: newKeptId(now) });
  const { bytes } = receiving;
  const digest = receiving.hash.digest('hex');
  const text = JSON.stringify({ ...file, deleteAfter: true, bytes, digest });
  // Only this account can use it, and it shows nothing.
  const { keyId, sealed } = seal(sealKeysOf(caller.account.secretKey), text, purpose(caller.accountId));
  const expiresAt = new Date(now + KEPT_MS).toISOString();
  return {
    status: 201,
    body: { source: `${PREFIX}${keyId}.${sealed}`, fileName, bytes, sha256: digest, expiresAt },
  };
}

interface Receiving {
  readonly incoming: IncomingMessage;
  readonly limits: ReturnType<typeof limitsOf>;
  readonly hash: ReturnType<typeof createHash>;
  /** Bytes that came so far. */
  bytes: number;
}

async function keep(
  { config, files }: Call,
  receiving: Receiving,
  { fileName, id }: { readonly fileName: string; readonly id: string },
): Promise<KeptSource> {
  const folder = keptFolder(config);
  if (folder === undefined) {
    throw new AnsweredError(409, 'SourceNotAllowed', 'This gateway keeps no files.', {
      hint: 'A gateway alone needs --http-files s3://bucket/prefix, which it and the workers reach. A worker with --http needs MEDIA_SERVICE_SPOOL_DIR.',
    });
  }
  if (folder.kind === 's3') {
    const object = locationWithin(folder, `${id}${KEPT}/${fileName}`);
    await files.s3.write(object, contentOf(receiving));
    return object;
  }
  const source = await spoolFile({
    spoolDir: folder.path,
    content: contentOf(receiving, folder.path),
    label: fileName,
    name: `${id}${KEPT}`,
  }).catch((error: unknown) => {
    // Its message names a folder, so only the log has it.
    throw hasCode(error, 'SourceUnavailable') ? noRoom(error) : error;
  });
  return { ...source, ...given({ host: config.worker?.host }), fileName };
}

/** The body as it comes. Rejects if it stops, breaks off or has no bytes, and if the disk of the folder gets full. */
async function* contentOf(receiving: Receiving, folder?: string): AsyncGenerator<Uint8Array> {
  const { incoming, hash } = receiving;
  let checkAt = 0;
  try {
    // Otherwise an error here would end the connection before its answer.
    for await (const chunk of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
      if (folder !== undefined && receiving.bytes >= checkAt) {
        await requireRoom(folder, receiving);
        checkAt += CHECK_BYTES;
      }
      receiving.bytes += chunk.byteLength;
      hash.update(chunk);
      yield chunk;
    }
  } catch (error) {
    if (!incoming.destroyed) throw error;
    const message = `The file broke off after ${receiving.bytes} bytes. Nothing is kept.`;
    throw new AnsweredError(400, 'Transport', message);
  }
  if (receiving.bytes === 0) throw new ValidationError('body', 'The body has no bytes.');
}

async function requireRoom(folder: string, { incoming, bytes, limits }: Receiving): Promise<void> {
  const expected = Number(incoming.headers['content-length'] ?? 0);
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize - Math.max(0, expected - bytes) < limits.freeBytes) throw noRoom();
}

function noRoom(cause?: unknown): AnsweredError {
  const hint = 'Send it again when uploads have ended, or free some space on the disk of the worker.';
  return new AnsweredError(507, 'SourceUnavailable', 'There is no room for the file.', { hint }, { cause });
}
