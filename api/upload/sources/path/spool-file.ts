import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { folderAt } from '../../../disk/open-folder';
import { makeFolder } from '../../../disk/sync-folder';
import { writeWhole } from '../../../disk/write-whole';
import { ConfigurationError, MediaServiceError, TransportError } from '../../../errors';
import { MAX_PART_BYTES, MAX_PARTS } from '../../parts/part-plan';
import type { PathSource } from '../source';
import { isFull, systemCodeOf } from '../source-failure';
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
 * `SourceUnavailable` while there is no room beside the copies that run, with a `ConfigurationError` if the folder can never hold it or can't be written, with a
 * `TransportError` for content cut short.
 */
export async function spoolFile(spooling: Spooling): Promise<Spooled> {
  const { spoolDir, content } = spooling;
  const id = randomUUID();
  let room: Reservation | undefined;
  try {
    await makeFolder(spoolDir).catch((error: unknown) => {
      throw notWritable(spoolDir, error);
    });
    room = await reserve(spooling);
    await writeWhole({
      folder: folderAt(spoolDir),
      name: `${id}${SPOOLED}`,
      partial: `${id}${SPOOLING}`,
      content: checked(spooling, room),
      failed: (error) => writeFailed(spooling, error),
    });
    const file = path.join(spoolDir, `${id}${SPOOLED}`);
    const stats = await stat(file, { bigint: true });
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
  if (!(error instanceof NoRoom)) return error;
  const { free, total } = error.space;
  if (needed + SPARE_BYTES > total) return tooSmall(spooling.spoolDir, needed);
  const left = Math.max(0, free - SPARE_BYTES - error.promised);
  return unavailable(spooling, `${needed} bytes are needed, and ${left} are left beside other copies`);
}

function writeFailed(spooling: Spooling, error: unknown): unknown {
  const code = systemCodeOf(error);
  // No file of this size is taken here, whatever room there is.
  if (code === 'EFBIG') return tooSmall(spooling.spoolDir);
  return isFull(error)
    ? unavailable(spooling, `it is full (${code})`)
    : notWritable(spooling.spoolDir, error);
}

function unavailable({ spoolDir, label }: Spooling, why: string): MediaServiceError {
  return new MediaServiceError(
    'SourceUnavailable',
    `the spool folder ${spoolDir} has no room for ${label} right now: ${why}`,
    {
      operation: 'source',
      field: 'spoolDir',
      outcome: 'unsent',
      retryAfterMs: AGAIN_MS,
      hint: 'It is tried again as other copies end. Free some space, or set MEDIA_SERVICE_SPOOL_DIR to a folder on a larger disk, if that takes too long.',
    },
  );
}

function tooSmall(spoolDir: string, bytes?: number): ConfigurationError {
  const need = bytes === undefined ? '' : ` for ${bytes} bytes`;
  return new ConfigurationError(
    'spoolDir',
    `the spool folder ${spoolDir} has too little room${need}`,
    'Set MEDIA_SERVICE_SPOOL_DIR to a folder on a larger disk.',
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
  if (code === undefined) return error;
  return new ConfigurationError(
    'spoolDir',
    `the spool folder ${spoolDir} cannot be written to (${code})`,
    'Set MEDIA_SERVICE_SPOOL_DIR to a folder that this process may write to.',
  );
}
