import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { folderAt } from '../../../disk/open-folder';
import { makeFolder } from '../../../disk/sync-folder';
import { writeWhole } from '../../../disk/write-whole';
import { ConfigurationError, MediaServiceError, TransportError } from '../../../errors';
import { MAX_PART_BYTES, MAX_PARTS } from '../../parts/part-plan';
import type { PathSource } from '../source';
import { isFull, mayPass, systemCodeOf } from '../source-failure';
import { pathFingerprint } from './path-fingerprint';
import type { Reservation } from './spool-room';
import { NoRoom, SPARE_BYTES, reserveIn } from './spool-room';

/** Content of unknown size is given room in such steps. */
const STEP_BYTES = 64 * 1024 * 1024;
/** Until a copy that found no room is tried again. */
const AGAIN_MS = 15_000;
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
 * Writes the content into a new private file (0600) of the spool folder, in a constant amount of memory: a path source that is removed when its upload ends. Its room
 * is reserved before, of content of unknown size as it grows; the copy and its name are on the disk before it counts. Nothing stays behind a failure. Rejects with
 * `SourceUnavailable` while there is no room beside the copies that run or the folder's disk fails, with a `ConfigurationError` if the folder can never hold it or
 * may not be written, with a `TransportError` for content cut short.
 */
export async function spoolFile(spooling: Spooling): Promise<Spooled> {
  const { spoolDir, content } = spooling;
  const id = randomUUID();
  const failed = (error: unknown): never => {
    throw spoolFailure(spooling, error);
  };
  let room: Reservation | undefined;
  try {
    await makeFolder(spoolDir).catch(failed);
    room = await reserve(spooling);
    await writeWhole({
      folder: folderAt(spoolDir),
      name: `${id}${SPOOLED}`,
      partial: `${id}${SPOOLING}`,
      content: checked(spooling, room),
      failed: (error) => spoolFailure(spooling, error),
    });
    const file = path.join(spoolDir, `${id}${SPOOLED}`);
    const stats = await stat(file, { bigint: true }).catch(failed);
    return {
      source: { kind: 'path', path: file, deleteAfter: true },
      bytes: Number(stats.size),
      fingerprint: pathFingerprint(stats, true),
    };
  } finally {
    // Now that a half copy is gone.
    room?.release();
    await content[Symbol.asyncIterator]().return?.();
  }
}

/** Room for what is known to come. */
function reserve(spooling: Spooling): Promise<Reservation> {
  const needed = spooling.expected ?? 0;
  return reserveIn(spooling.spoolDir, needed).catch((error: unknown) => {
    throw noRoom(spooling, needed, error);
  });
}

/** The content, each piece once there is room for it, and only if it has the size that was announced. */
async function* checked(spooling: Spooling, room: Reservation): AsyncGenerator<Uint8Array> {
  const { content, label, expected, signal } = spooling;
  let bytes = 0;
  for await (const chunk of content) {
    signal?.throwIfAborted();
    bytes += chunk.byteLength;
    if (bytes > MAX_PARTS * MAX_PART_BYTES) throw tooLarge(label);
    if (room.left() < chunk.byteLength) {
      const step = Math.max(STEP_BYTES, chunk.byteLength);
      // Towards the end of a disk in smaller steps.
      await room.grow(step).catch(() =>
        room.grow(chunk.byteLength).catch((error: unknown) => {
          throw noRoom(spooling, bytes, error);
        }),
      );
    }
    yield chunk;
    room.written(chunk.byteLength);
  }
  if (expected === undefined || bytes === expected) return;
  throw new TransportError(`${label} ended after ${bytes} of ${expected} bytes`, {
    operation: 'source',
    outcome: 'ambiguous',
  });
}

/** Waiting helps only if the disk could hold the copy. */
function noRoom(spooling: Spooling, needed: number, error: unknown): unknown {
  if (!(error instanceof NoRoom)) return spoolFailure(spooling, error);
  const { free, total } = error.space;
  if (needed + SPARE_BYTES > total)
    return unusable(
      spooling.spoolDir,
      `has ${total} bytes in all, of which ${SPARE_BYTES} stay free: too few for the ${needed} bytes of ${spooling.label}`,
    );
  const left = Math.max(0, free - SPARE_BYTES - error.promised);
  return full(spooling, `${needed} bytes are needed, and ${left} are left beside other copies`);
}

function spoolFailure(spooling: Spooling, error: unknown): unknown {
  const { spoolDir } = spooling;
  const code = systemCodeOf(error);
  if (code === undefined) return error;
  // No file of this size is taken here, whatever room there is.
  if (code === 'EFBIG') return unusable(spoolDir, 'takes no file of this size');
  if (isFull(error)) return full(spooling, `it is full (${code})`);
  if (mayPass(error))
    return unavailable(
      `the spool folder ${spoolDir} can’t be written to for now (${code})`,
      'Check its disk: an upload that runs goes on by itself once the folder can be written to.',
      { cause: error },
    );
  return unusable(spoolDir, `cannot be written to (${code})`);
}

function full({ spoolDir, label }: Spooling, why: string): MediaServiceError {
  return unavailable(
    `the spool folder ${spoolDir} has no room for ${label} right now: ${why}`,
    'An upload that runs goes on by itself once there is room, as other copies end. Free some space, or set MEDIA_SERVICE_SPOOL_DIR to a folder on a larger disk, if that takes too long.',
  );
}

function unavailable(message: string, hint: string, cause?: { readonly cause: unknown }): MediaServiceError {
  const facts = {
    operation: 'source',
    field: 'spoolDir',
    outcome: 'unsent',
    retryAfterMs: AGAIN_MS,
    hint,
  } as const;
  return new MediaServiceError('SourceUnavailable', message, facts, cause);
}

function unusable(spoolDir: string, what: string): ConfigurationError {
  return new ConfigurationError(
    'spoolDir',
    `the spool folder ${spoolDir} ${what}`,
    'Set MEDIA_SERVICE_SPOOL_DIR to a folder that this process may write to, on a disk that is large enough and takes large files.',
  );
}

function tooLarge(label: string): MediaServiceError {
  return new MediaServiceError(
    'Validation',
    `${label} is larger than the ${MAX_PARTS * MAX_PART_BYTES} bytes that an upload can have`,
    { field: 'source', outcome: 'unsent' },
  );
}
