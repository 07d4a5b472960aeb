import { randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { ConfigurationError, MediaServiceError, TransportError } from '../../../errors';
import { MAX_PART_BYTES, MAX_PARTS } from '../../parts/part-plan';
import type { HttpSource, PinnedSource } from '../source';
import type { SourceAccess } from '../source-access';
import { namesOf } from './http-pin';
import { getSource } from './http-request';
import { versionOf } from './http-version';
import { pathFingerprint } from '../path/path-fingerprint';
import { systemCodeOf } from '../source-failure';

/** Kept free on the spool folder's disk besides the file. */
const SPARE_BYTES = 64 * 1024 * 1024;
const SPOOLING = '.spooling';
const SPOOLED = '.spooled';

/**
 * Copies a URL once into the spool folder, in a constant amount of memory, and pins the copy: a path source that is removed when the upload
 * ends. Free space is checked before; the copy is on the disk (fsync) before it counts. Nothing stays behind a failure. Rejects as
 * `getSource`, with a `ConfigurationError` where the folder is too small, with a `TransportError` for an answer cut short.
 */
export async function spoolUrl(
  access: SourceAccess & { readonly spoolDir: string },
  source: HttpSource,
  signal?: AbortSignal,
): Promise<PinnedSource> {
  const { spoolDir } = access;
  await mkdir(spoolDir, { recursive: true, mode: 0o700 });
  const url = access.unseal(source.url);
  const { status, headers, body } = await getSource(access, { url, headers: {}, signal });
  const base = path.join(spoolDir, randomUUID());
  try {
    const expected = versionOf(status, headers).bytes ?? source.bytes;
    await checkSpace(spoolDir, expected ?? 0);
    await copy({ body, file: `${base}${SPOOLING}`, label: source.label, expected, signal });
    await rename(`${base}${SPOOLING}`, `${base}${SPOOLED}`);
    const stats = await stat(`${base}${SPOOLED}`, { bigint: true });
    return {
      source: { kind: 'path', path: `${base}${SPOOLED}`, deleteAfter: true },
      bytes: Number(stats.size),
      fingerprint: pathFingerprint(stats, true),
      ...namesOf(source, url, headers),
    };
  } catch (error) {
    await rm(`${base}${SPOOLING}`, { force: true });
    throw isFull(error) ? tooSmall(spoolDir) : error;
  } finally {
    await body[Symbol.asyncIterator]().return?.();
  }
}

/**
 * Removes what earlier processes left in the spool folder: copies that were never finished, and finished ones that nobody changed or removed
 * for `olderThanMs`. Returns how many. Run it when a worker starts.
 */
export async function sweepSpool({
  spoolDir,
  olderThanMs,
  now,
}: {
  readonly spoolDir: string;
  readonly olderThanMs: number;
  readonly now: number;
}): Promise<number> {
  const names = await readdir(spoolDir).catch(() => []);
  let swept = 0;
  for (const name of names) {
    if (!name.endsWith(SPOOLING) && !name.endsWith(SPOOLED)) continue;
    const file = path.join(spoolDir, name);
    const changedAt = (await stat(file).catch(() => undefined))?.mtimeMs;
    if (changedAt === undefined || now - changedAt < olderThanMs) continue;
    await rm(file, { force: true });
    swept += 1;
  }
  return swept;
}

interface Copy {
  readonly body: AsyncIterable<Uint8Array>;
  readonly file: string;
  readonly label: string;
  readonly expected: number | undefined;
  readonly signal: AbortSignal | undefined;
}

async function copy({ body, file, label, expected, signal }: Copy): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    let bytes = 0;
    for await (const chunk of body) {
      signal?.throwIfAborted();
      bytes += chunk.byteLength;
      if (bytes > MAX_PARTS * MAX_PART_BYTES) throw tooLarge(label);
      await writeAll(handle, chunk);
    }
    if (expected !== undefined && bytes !== expected) {
      throw new TransportError(`the source ${label} ended after ${bytes} of ${expected} bytes`, {
        operation: 'source',
        outcome: 'ambiguous',
      });
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function writeAll(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.byteLength;) at += (await handle.write(chunk, at)).bytesWritten;
}

async function checkSpace(spoolDir: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(spoolDir);
  if (bavail * bsize < bytes + SPARE_BYTES) throw tooSmall(spoolDir, bytes);
}

function isFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(systemCodeOf(error) ?? '');
}

function tooSmall(spoolDir: string, bytes?: number): ConfigurationError {
  const need = bytes === undefined || bytes === 0 ? '' : ` for ${bytes} bytes`;
  return new ConfigurationError(
    'spoolDir',
    `the spool folder ${spoolDir} has too little room${need}`,
    'Free some space, or set MEDIA_SERVICE_SPOOL_DIR to a folder on a larger disk.',
  );
}

function tooLarge(label: string): MediaServiceError {
  return new MediaServiceError(
    'Validation',
    `the source ${label} is larger than the ${MAX_PARTS * MAX_PART_BYTES} bytes that an upload can have`,
    { field: 'source', outcome: 'unsent' },
  );
}
