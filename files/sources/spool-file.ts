import { randomUUID } from 'node:crypto';
import { readdir, realpath, rm, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder, writeWhole } from '../disk/write-whole';
import { ConfigurationError, MediaServiceError, TransportError } from '../../api/errors';
import type { PathSource } from '../../api/upload/sources/source';
import { isFull, mayPass, systemCodeOf } from '../system-error';
import type { SourceAccess } from './source-access';
import { DAY_MS, HOUR_MS } from '../../api/clock';

/** Pause before a copy that found no room is tried again. */
const AGAIN_MS = 15_000;
/** File endings of copies: while written, and when whole. */
const SPOOLING = '.spooling';
const SPOOLED = '.spooled';
/** Of a file that was sent to the HTTP door, which removes it if no worker claims it for an upload. */
export const KEPT = '.kept';

interface Spooling {
  readonly spoolDir: string;
  /** Always closed in the end. */
  readonly content: AsyncIterable<Uint8Array>;
  /** Name of the content in errors. */
  readonly label: string;
  /** Bytes, if known beforehand. */
  readonly expected?: number | undefined;
  /** Name of the file. Default: a random one of a copy. */
  readonly name?: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Writes the content into a new private file (0600) in the spool folder, in a constant amount of memory. The file is a
 * path source that is removed when its upload ends. The copy counts once file and name are safely on disk. A failure
 * leaves nothing behind.
 *
 * Rejects with:
 * - `SourceUnavailable` while the folder's disk is too full for the known size, gets full, or fails;
 * - a `ConfigurationError` if the folder can never hold the copy or can't be written;
 * - a `TransportError` for content that was cut short.
 */
export async function spoolFile(spooling: Spooling): Promise<PathSource> {
  const { spoolDir, content, name = `${randomUUID()}${SPOOLED}` } = spooling;
  const file = path.join(spoolDir, name);
  const failed = (error: unknown): never => {
    throw spoolFailure(spooling, error);
  };
  try {
    await makeFolder(spoolDir).catch(failed);
    await requireRoom(spooling).catch(failed);
    await writeWhole({
      file,
      partial: `${name}${SPOOLING}`,
      content: checked(spooling),
      failed: (error) => spoolFailure(spooling, error),
    });
    return { kind: 'path', path: file, deleteAfter: true };
  } finally {
    await content[Symbol.asyncIterator]().return?.();
  }
}

/** Waiting helps only if the disk could hold the copy. */
async function requireRoom(spooling: Spooling): Promise<void> {
  const { spoolDir, label, expected: needed = 0 } = spooling;
  const { bavail, blocks, bsize } = await statfs(spoolDir);
  const [free, total] = [bavail * bsize, blocks * bsize];
  if (needed > total)
    throw unusable(spoolDir, `has ${total} bytes in all: too few for the ${needed} bytes of ${label}`);
  if (needed > free) throw full(spooling, `${needed} bytes are needed, and ${free} are free`);
}

/** Throws if the size differs from the announced one. */
async function* checked({ content, label, expected, signal }: Spooling): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of content) {
    signal?.throwIfAborted();
    bytes += chunk.byteLength;
    yield chunk;
  }
  if (expected === undefined || bytes === expected) return;
  throw new TransportError(`${label} ended after ${bytes} of ${expected} bytes`, {
    operation: 'source',
    outcome: 'ambiguous',
  });
}

function spoolFailure(spooling: Spooling, error: unknown): unknown {
  const { spoolDir } = spooling;
  const code = systemCodeOf(error);
  if (code === undefined) return error;
  // The file system accepts no file of this size, whatever room there is.
  if (code === 'EFBIG') return unusable(spoolDir, 'takes no file of this size');
  if (isFull(error)) return full(spooling, `it is full (${code})`);
  if (mayPass(error))
    return unavailable(
      `the spool folder ${spoolDir} can't be written to for now (${code})`,
      'Check its disk: a running upload continues by itself once the folder can be written to.',
      error,
    );
  return unusable(spoolDir, `can't be written to (${code})`);
}

function full({ spoolDir, label }: Spooling, why: string): MediaServiceError {
  return unavailable(
    `the spool folder ${spoolDir} has no room for ${label} right now: ${why}`,
    'A running upload continues by itself once other copies end and there is room. If that takes too long, free some space or set {spoolDir} to a folder on a larger disk.',
  );
}

function unavailable(message: string, hint: string, cause?: unknown): MediaServiceError {
  const facts = {
    operation: 'source',
    field: 'spoolDir',
    outcome: 'unsent',
    retryAfterMs: AGAIN_MS,
    hint,
  } as const;
  return new MediaServiceError('SourceUnavailable', message, facts, cause === undefined ? {} : { cause });
}

function unusable(spoolDir: string, what: string): ConfigurationError {
  return new ConfigurationError(
    'spoolDir',
    `the spool folder ${spoolDir} ${what}`,
    'Set {spoolDir} to a folder that this process may write to, on a disk that is large enough and takes large files.',
  );
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Returns the real path of an upload's own file in the spool folder of this process; undefined for every other source.
 * Others may use that folder too, so nothing else in it is read or deleted.
 */
export async function spoolCopyOf(
  { spoolDir }: Pick<SourceAccess, 'spoolDir'>,
  { path: file, deleteAfter }: PathSource,
): Promise<string | undefined> {
  const { dir, name, ext, base } = path.parse(path.resolve(file));
  if (spoolDir === undefined || deleteAfter !== true || !UUID.test(name)) return undefined;
  if (ext !== SPOOLED && ext !== KEPT) return undefined;
  const [folder, spool] = await Promise.all([dir, spoolDir].map((one) => realpath(one).catch(() => one)));
  return folder === undefined || folder !== spool ? undefined : path.join(folder, base);
}

/**
 * How long each kind of copy may stay unchanged. A copy whose content stops for a minute fails; the upload of a finished
 * one may be paused.
 */
const KEPT_MS: Readonly<Record<string, number>> = { [SPOOLING]: HOUR_MS, [SPOOLED]: 30 * DAY_MS };

/**
 * Called when a process starts. Removes copies that earlier ones left in the spool folder: unfinished ones after an hour,
 * finished ones after 30 days. Every other file stays. Returns how many it removed. `now`: epoch ms.
 */
export async function sweepSpool(spoolDir: string, now: number): Promise<number> {
  // A missing folder contains nothing. Uploads report a folder that can't be used.
  const names = await readdir(spoolDir).catch(() => []);
  let swept = 0;
  for (const name of names) {
    const file = path.join(spoolDir, name);
    // Another process removed it.
    const changedAt = (await stat(file).catch(() => undefined))?.mtimeMs ?? now;
    if (now - changedAt < (KEPT_MS[path.extname(name)] ?? Infinity)) continue;
    await rm(file, { force: true });
    swept += 1;
  }
  return swept;
}
