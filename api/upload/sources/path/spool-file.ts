import { randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { mkdir, open, rename, rm, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { ConfigurationError, MediaServiceError, TransportError } from '../../../errors';
import { MAX_PART_BYTES, MAX_PARTS } from '../../parts/part-plan';
import type { PathSource } from '../source';
import { isFull, systemCodeOf } from '../source-failure';
import { pathFingerprint } from './path-fingerprint';

/** Kept free on the spool folder's disk besides the file. */
const SPARE_BYTES = 64 * 1024 * 1024;
/** Endings of copies: being written, and whole. */
export const SPOOLING = '.spooling';
export const SPOOLED = '.spooled';

export interface Spooling {
  readonly spoolDir: string;
  /** Closed at every end. */
  readonly content: AsyncIterable<Uint8Array>;
  /** What the content is called in errors. */
  readonly label: string;
  /** Bytes, where they are known before. */
  readonly expected?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Spooled {
  readonly source: PathSource;
  readonly bytes: number;
  readonly fingerprint: string;
}

/**
 * Writes the content into a new private file (0600) of the spool folder, in a constant amount of memory: a path source that is removed when
 * its upload ends. Free space is checked before; the copy is on the disk (fsync) before it counts. Nothing stays behind a failure. Rejects
 * with a `ConfigurationError` where the folder is too small or cannot be written, with a `TransportError` for content cut short.
 */
export async function spoolFile({ spoolDir, content, label, expected, signal }: Spooling): Promise<Spooled> {
  const base = path.join(spoolDir, randomUUID());
  try {
    await mkdir(spoolDir, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
      throw notWritable(spoolDir, error);
    });
    await checkSpace(spoolDir, expected ?? 0);
    await copy({ content, file: `${base}${SPOOLING}`, label, expected, signal });
    await rename(`${base}${SPOOLING}`, `${base}${SPOOLED}`);
    const stats = await stat(`${base}${SPOOLED}`, { bigint: true });
    return {
      source: { kind: 'path', path: `${base}${SPOOLED}`, deleteAfter: true },
      bytes: Number(stats.size),
      fingerprint: pathFingerprint(stats, true),
    };
  } catch (error) {
    await rm(`${base}${SPOOLING}`, { force: true }).catch(() => undefined);
    throw isFull(error) ? tooSmall(spoolDir) : error;
  } finally {
    await content[Symbol.asyncIterator]().return?.();
  }
}

interface Copy {
  readonly content: AsyncIterable<Uint8Array>;
  readonly file: string;
  readonly label: string;
  readonly expected: number | undefined;
  readonly signal: AbortSignal | undefined;
}

async function copy({ content, file, label, expected, signal }: Copy): Promise<void> {
  const handle = await open(file, 'wx', 0o600).catch((error: unknown) => {
    throw notWritable(path.dirname(file), error);
  });
  try {
    let bytes = 0;
    for await (const chunk of content) {
      signal?.throwIfAborted();
      bytes += chunk.byteLength;
      if (bytes > MAX_PARTS * MAX_PART_BYTES) throw tooLarge(label);
      await writeAll(handle, chunk);
    }
    if (expected !== undefined && bytes !== expected) {
      throw new TransportError(`${label} ended after ${bytes} of ${expected} bytes`, {
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
    `${label} is larger than the ${MAX_PARTS * MAX_PART_BYTES} bytes that an upload can have`,
    { field: 'source', outcome: 'unsent' },
  );
}

function notWritable(spoolDir: string, error: unknown): unknown {
  const code = systemCodeOf(error);
  if (code === undefined || isFull(error)) return error;
  return new ConfigurationError(
    'spoolDir',
    `the spool folder ${spoolDir} cannot be written to (${code})`,
    'Set MEDIA_SERVICE_SPOOL_DIR to a folder that this process may write to.',
  );
}
