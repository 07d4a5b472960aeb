import { Readable } from 'node:stream';

export type { Readable };

/** Returns the pieces as a Node stream that holds one piece at a time. An error of the pieces becomes the stream's. */
export function readableOf(pieces: AsyncIterable<string | Uint8Array>): Readable {
  return Readable.from(pieces, { objectMode: false });
}

export function isReadable(value: unknown): value is Readable {
  return value instanceof Readable;
}
