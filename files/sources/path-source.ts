import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { pathDifference, pathFingerprint } from './path-change';
import { sourceChanged, sourceRefused, sourceTooYoung } from '../../api/upload/sources/source';
import type { Pinned, PathSource, PinnedSource, SourceReader } from '../../api/upload/sources/source';
import type { SourceAccess } from './source-access';
import { claimKept } from './release-source';
import { spoolCopyOf } from './spool-file';
import { allowedPath, openReal, unreadablePath } from '../allowed-path';
import { sourceUnreadable } from '../read-failure';
import { mimeTypeOf, contentOf, HEAD_BYTES } from '../../api/upload/file-type';
import { systemCodeOf } from '../system-error';

/**
 * Reads ranges of a pinned file into two reused buffers, one chunk ahead of its consumer. It compares the file with its
 * pin before the first and after the last byte of every range.
 */
export function openPath(
  access: Pick<SourceAccess, 'roots' | 'spoolDir'>,
  pinned: Pinned<PathSource>,
): SourceReader {
  const name = pinned.source.path;
  return {
    async *read(offset, length, signal) {
      signal?.throwIfAborted();
      // Resolves the path again: a link that has changed must not lead out of the roots.
      const file = await openPathSource(access, pinned.source);
      try {
        await compare(file, pinned);
        yield* chunks({ file, name, offset, length, signal });
        await compare(file, pinned);
      } finally {
        await file.close();
      }
    },
    async requireUnchanged() {
      // A file that can't be opened any more shows no change, and its bytes were compared as they were read.
      const file = await openPathSource(access, pinned.source).catch(() => undefined);
      if (file !== undefined) await compare(file, pinned).finally(() => file.close());
    },
  };
}

/** Opens the file of a source: one inside the roots, or an upload's copy in the spool folder. Rejects as `allowedPath` does. */
async function openPathSource(
  access: Pick<SourceAccess, 'roots' | 'spoolDir'>,
  source: PathSource,
): Promise<FileHandle> {
  const { path: file } = source;
  const real = (await spoolCopyOf(access, source)) ?? (await allowedPath(access.roots, file));
  return openReal(real, access.roots, file);
}

async function compare(
  file: FileHandle,
  { fingerprint, source }: PinnedSource & { source: PathSource },
): Promise<void> {
  const stats = await file.stat({ bigint: true }).catch((error: unknown) => {
    throw sourceUnreadable(source.path, error);
  });
  const difference = pathDifference(fingerprint, stats);
  if (difference !== undefined) throw sourceChanged(source.path, difference);
}

interface Range {
  readonly file: FileHandle;
  readonly name: string;
  readonly offset: number;
  readonly length: number;
  readonly signal: AbortSignal | undefined;
}

async function* chunks(range: Range): AsyncGenerator<Uint8Array> {
  const { offset, length, signal } = range;
  const end = offset + length;
  const current = readBuffers.take(length);
  // A range of one chunk needs only one.
  const other = length > current.byteLength ? readBuffers.take(length) : current;
  let pending = readAhead(current, offset, range);
  let isFinished = false;
  try {
    for (let at = offset, turn = 0; at < end; turn = 1 - turn) {
      const chunk = await pending;
      signal?.throwIfAborted();
      at += chunk.byteLength;
      // The other buffer is free: its consumer has come back for more.
      if (at < end) pending = readAhead(turn === 0 ? other : current, at, range);
      yield chunk;
    }
    isFinished = true;
  } finally {
    // The file must not be closed during a read.
    await pending.catch(() => undefined);
    // Otherwise the consumer left early, and a socket may still send from them.
    if (isFinished) readBuffers.release(other === current ? [current] : [current, other]);
  }
}

/** Its caller may await a failure long after it happened. */
function readAhead(buffer: Buffer, at: number, range: Range): Promise<Uint8Array> {
  const reading = fill(buffer, at, range);
  // Prevents an unhandled rejection; the caller still gets the error.
  reading.catch(() => undefined);
  return reading;
}

/** Reads as much of the range as fits into the buffer, however few bytes each read returns. */
async function fill(buffer: Buffer, at: number, { file, name, offset, length }: Range): Promise<Uint8Array> {
  const wanted = Math.min(buffer.byteLength, offset + length - at);
  let filled = 0;
  while (filled < wanted) {
    const { bytesRead } = await file
      .read(buffer, filled, wanted - filled, at + filled)
      .catch((error: unknown) => {
        throw sourceUnreadable(name, error);
      });
    if (bytesRead === 0) throw sourceChanged(name, 'it became shorter');
    filled += bytesRead;
  }
  return buffer.subarray(0, wanted);
}

/**
 * Pins a file inside the allowed roots, or a spooled copy. Rejects if it is missing, unreadable, outside the roots, not
 * a regular file, or younger than its minimum age. `headers`: those of the answer that was copied.
 */
export async function pinPath(
  access: Pick<SourceAccess, 'roots' | 'spoolDir'>,
  source: PathSource,
  headers: Readonly<Record<string, string>> = {},
): Promise<Pinned<PathSource>> {
  const file = await openPathSource(access, source);
  try {
    const stats = await file.stat({ bigint: true });
    if (!stats.isFile()) {
      const what = stats.isDirectory() ? 'is a folder' : 'is not a regular file';
      throw sourceRefused(source.path, what, 'Give the path of one file.');
    }
    requireAge(source, Number(stats.mtimeMs));
    await claimKept(access, source);
    const fileName = source.fileName ?? path.basename(source.path);
    const mimeType = mimeTypeOf(path.extname(fileName));
    const head = Buffer.alloc(HEAD_BYTES);
    const { bytesRead } = await file.read(head, 0, HEAD_BYTES, 0);
    return {
      source,
      bytes: Number(stats.size),
      fingerprint: pathFingerprint(stats, source.host !== undefined),
      fileName,
      content: contentOf(head.subarray(0, bytesRead), headers),
      ...(mimeType === undefined ? {} : { mimeType }),
    };
  } catch (error) {
    throw systemCodeOf(error) === undefined ? error : await unreadablePath(source.path, access.roots, error);
  } finally {
    await file.close();
  }
}

function requireAge({ path: file, minAgeMs = 0 }: PathSource, writtenAt: number): void {
  const ageMs = Date.now() - writtenAt;
  if (ageMs < minAgeMs) throw sourceTooYoung(file, ageMs, minAgeMs);
}

/**
 * So large that a read costs little compared with the sending. Also, a socket has finished with a chunk when it
 * requests the next.
 */
export const BUFFER_BYTES = 1024 * 1024;
/**
 * A large allocation begins 16 bytes after a page of memory, and a file's data in the page cache at its page. A read
 * between such addresses takes 1.6 times as long (bench/part/bench-costs.mjs), so a buffer begins at a cache line.
 */
const PAST_ALIAS_BYTES = 48;
/** Enough for the parts that begin while others end. More would only occupy memory between uploads. */
const MAX_IDLE = 8;

/**
 * Buffers that one part has finished with and the next one reads into. New ones for each part would occupy memory until
 * the garbage collector finds them.
 */
export class ReadBuffers {
  readonly #idle: Buffer[] = [];

  /** Returns a buffer of at least this many bytes, but of at most `BUFFER_BYTES`. */
  take(bytes: number): Buffer {
    if (bytes < BUFFER_BYTES) return newBuffer(bytes);
    return this.#idle.pop() ?? newBuffer(BUFFER_BYTES);
  }

  /** Takes back buffers that nobody reads or writes any more. */
  release(buffers: readonly Buffer[]): void {
    for (const buffer of buffers)
      if (buffer.byteLength === BUFFER_BYTES && this.#idle.length < MAX_IDLE) this.#idle.push(buffer);
  }
}

function newBuffer(bytes: number): Buffer {
  return Buffer.allocUnsafeSlow(PAST_ALIAS_BYTES + bytes).subarray(PAST_ALIAS_BYTES);
}

/** The buffers of this process. */
const readBuffers = new ReadBuffers();
