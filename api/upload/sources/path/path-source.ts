import type { FileHandle } from 'node:fs/promises';
import type { PathSource, PinnedSource, SourceReader } from '../source';
import type { Pinned } from '../source-kind';
import type { SourceAccess } from '../source-access';
import { pathDifference } from './path-change';
import { readBuffers } from './read-buffers';
import { spoolCopyOf } from './spool-copy';
import { openAllowed, openReal } from '../../../../files/roots/allowed-path';
import { sourceUnreadable } from '../../../../files/read-failure';
import { sourceChanged } from '../source-failure';

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
export async function openPathSource(
  access: Pick<SourceAccess, 'roots' | 'spoolDir'>,
  source: PathSource,
): Promise<FileHandle> {
  const { path: file } = source;
  const copy = await spoolCopyOf(access, source);
  if (copy !== undefined) return openReal(copy, access, file);
  return openAllowed(access, file);
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
