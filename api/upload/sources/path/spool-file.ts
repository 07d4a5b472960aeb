import type { Advice } from '../../../advice';
import { createHash, randomUUID } from 'node:crypto';
import { stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder } from '../../../../files/disk/sync-folder';
import { writeWhole } from '../../../../files/disk/write-whole';
import { ConfigurationError, MediaServiceError, TransportError } from '../../../errors';
import { processNumbers } from '../../direct/journal/process-numbers';
import { MAX_PART_BYTES, MAX_PARTS } from '../../parts/part-plan';
import type { PathSource } from '../source';
import { isFull, mayPass, systemCodeOf } from '../../../../files/system-error';
import { pathFingerprint } from './path-change';

/** Pause before a copy that found no room is tried again. */
const AGAIN_MS = 15_000;
/** File endings of copies: while written, and when whole. */
export const SPOOLING = '.spooling';
export const SPOOLED = '.spooled';

interface Spooling {
  readonly spoolDir: string;
  /** Always closed in the end. */
  readonly content: AsyncIterable<Uint8Array>;
  /** Name of the content in errors. */
  readonly label: string;
  /** Bytes, if known beforehand. */
  readonly expected?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface Spooled {
  readonly source: PathSource;
  readonly bytes: number;
  readonly fingerprint: string;
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
export async function spoolFile(spooling: Spooling): Promise<Spooled> {
  const { spoolDir, content } = spooling;
  const id = randomUUID();
  const file = path.join(spoolDir, `${id}${SPOOLED}`);
  const failed = (error: unknown): never => {
    throw spoolFailure(spooling, error);
  };
  try {
    await makeFolder(spoolDir).catch(failed);
    await requireRoom(spooling).catch(failed);
    await writeWhole({
      file,
      partial: `${id}.${await spoolOwner()}${SPOOLING}`,
      content: checked(spooling),
      failed: (error) => spoolFailure(spooling, error),
    });
    const stats = await stat(file, { bigint: true }).catch(failed);
    return {
      source: { kind: 'path', path: file, deleteAfter: true },
      bytes: Number(stats.size),
      fingerprint: pathFingerprint(stats, true),
    };
  } finally {
    await content[Symbol.asyncIterator]().return?.();
  }
}

/** Names this process in a half copy: its number, and the space in which that is unique. */
export async function spoolOwner(): Promise<string> {
  const numbers = createHash('sha256').update(await processNumbers());
  return `${process.pid}-${numbers.digest('hex').slice(0, 12)}`;
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
    if (bytes > MAX_PARTS * MAX_PART_BYTES) throw tooLarge(label);
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
      { hint: 'Check its disk: a running upload continues by itself once the folder can be written to.' },
      { cause: error },
    );
  return unusable(spoolDir, `can't be written to (${code})`);
}

function full({ spoolDir, label }: Spooling, why: string): MediaServiceError {
  return unavailable(`the spool folder ${spoolDir} has no room for ${label} right now: ${why}`, {
    remedy: { kind: 'set-spool-folder', why: 'full' },
  });
}

function unavailable(
  message: string,
  advice: Advice,
  cause?: { readonly cause: unknown },
): MediaServiceError {
  const facts = {
    operation: 'source',
    field: 'spoolDir',
    outcome: 'unsent',
    retryAfterMs: AGAIN_MS,
    ...advice,
  } as const;
  return new MediaServiceError('SourceUnavailable', message, facts, cause);
}

function unusable(spoolDir: string, what: string): ConfigurationError {
  return new ConfigurationError('spoolDir', `the spool folder ${spoolDir} ${what}`, {
    remedy: { kind: 'set-spool-folder', why: 'unusable' },
  });
}

function tooLarge(label: string): MediaServiceError {
  return new MediaServiceError(
    'Validation',
    `${label} is larger than the ${MAX_PARTS * MAX_PART_BYTES} bytes that an upload can have`,
    { field: 'source', outcome: 'unsent' },
  );
}
