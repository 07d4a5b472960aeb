import { randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { mkdir, open, rename, rm, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { ConfigurationError, MediaServiceError, TransportError } from '../../../errors';
import { MAX_PART_BYTES, MAX_PARTS } from '../../parts/part-plan';
import type { PathSource } from '../source';
import { isFull, mayPass, systemCodeOf } from '../source-failure';
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
 * with `SourceUnavailable` while the folder's disk is full or away, with a `ConfigurationError` if the folder can't be written, with a
 * `TransportError` for content cut short.
 */
export async function spoolFile({ spoolDir, content, label, expected, signal }: Spooling): Promise<Spooled> {
  const base = path.join(spoolDir, randomUUID());
  const failed = (error: unknown): never => {
    throw spoolFailure(spoolDir, error);
  };
  try {
    await mkdir(spoolDir, { recursive: true, mode: 0o700 }).catch(failed);
    await checkSpace(spoolDir, expected ?? 0).catch(failed);
    await copy({ content, file: `${base}${SPOOLING}`, label, expected, signal, failed });
    await rename(`${base}${SPOOLING}`, `${base}${SPOOLED}`).catch(failed);
    const stats = await stat(`${base}${SPOOLED}`, { bigint: true }).catch(failed);
    return {
      source: { kind: 'path', path: `${base}${SPOOLED}`, deleteAfter: true },
      bytes: Number(stats.size),
      fingerprint: pathFingerprint(stats, true),
    };
  } catch (error) {
    await rm(`${base}${SPOOLING}`, { force: true }).catch(() => undefined);
    throw error;
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
  /** What becomes of a failure of the folder; one of the content is its own. */
  readonly failed: (error: unknown) => never;
}

async function copy({ content, file, label, expected, signal, failed }: Copy): Promise<void> {
  const handle = await open(file, 'wx', 0o600).catch(failed);
  try {
    let bytes = 0;
    for await (const chunk of content) {
      signal?.throwIfAborted();
      bytes += chunk.byteLength;
      if (bytes > MAX_PARTS * MAX_PART_BYTES) throw tooLarge(label);
      await writeAll(handle, chunk).catch(failed);
    }
    if (expected !== undefined && bytes !== expected) {
      throw new TransportError(`${label} ended after ${bytes} of ${expected} bytes`, {
        operation: 'source',
        outcome: 'ambiguous',
      });
    }
    await handle.sync().catch(failed);
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

function tooSmall(spoolDir: string, bytes?: number): MediaServiceError {
  const need = bytes === undefined || bytes === 0 ? '' : ` for ${bytes} bytes`;
  return unavailable(
    `the spool folder ${spoolDir} has too little room${need}`,
    'Free some space, or set MEDIA_SERVICE_SPOOL_DIR to a folder on a larger disk. An upload that runs goes on by itself once there is room.',
  );
}

function tooLarge(label: string): MediaServiceError {
  return new MediaServiceError(
    'Validation',
    `${label} is larger than the ${MAX_PARTS * MAX_PART_BYTES} bytes that an upload can have`,
    { field: 'source', outcome: 'unsent' },
  );
}

function unavailable(message: string, hint: string, cause?: unknown): MediaServiceError {
  return new MediaServiceError(
    'SourceUnavailable',
    message,
    { field: 'spoolDir', outcome: 'unsent', hint },
    cause === undefined ? undefined : { cause },
  );
}

function spoolFailure(spoolDir: string, error: unknown): unknown {
  const code = systemCodeOf(error);
  if (code === undefined) return error;
  if (mayPass(error)) {
    return isFull(error)
      ? tooSmall(spoolDir)
      : unavailable(
          `the spool folder ${spoolDir} can’t be written to for now (${code})`,
          'Check its disk: an upload that runs goes on by itself once the folder can be written to.',
          error,
        );
  }
  return new ConfigurationError(
    'spoolDir',
    `the spool folder ${spoolDir} ${isFull(error) ? 'takes no file of this size' : `cannot be written to (${code})`}`,
    'Set MEDIA_SERVICE_SPOOL_DIR to a folder that this process may write to, on a disk that takes large files.',
  );
}
