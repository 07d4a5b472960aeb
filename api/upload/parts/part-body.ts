import { MediaServiceError } from '../../errors';
import type { RequestStream } from '../../transport/transport';
import type { PartHash } from './part-hash';

/** The body of one part PUT: counts and hashes what leaves, and can be closed whether or not anyone read it. */
export interface PartBody {
  readonly stream: RequestStream;
  /** Bytes that the transport was done with. */
  bytesSoFar(): number;
  /** Bytes that the transport was given, the last of which it may still hold. */
  bytesGiven(): number;
  /** What went wrong while reading the source; a transport may hide it behind an error of its own. */
  failure(): unknown;
  /** Ends the reading of the source; resolves once that is closed. */
  close(): Promise<void>;
}

export interface PartBodyInput {
  readonly partNumber: number;
  readonly bytes: number;
  read(): AsyncIterable<Uint8Array>;
  /** Unset: nothing is hashed. */
  readonly hash?: PartHash | undefined;
  onBytes(bytesSoFar: number): void;
}

/** Chunks that took longer than this to leave are followed by small pieces, so that a slow line shows its progress. */
const SLOW_CHUNK_MS = 1_000;
const SMALL_PIECE_BYTES = 64 * 1024;

/** A body that can be opened once. A source that yields more or fewer bytes than the part has is a failure. */
export function createPartBody(input: PartBodyInput): PartBody {
  let given = 0;
  let sent = 0;
  let failure: unknown;
  let closed = false;

  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      let pieceBytes = Number.POSITIVE_INFINITY;
      for await (const chunk of input.read()) {
        if (given + chunk.byteLength > input.bytes) throw wrongLength(input, 'more');
        await input.hash?.update(chunk);
        given += chunk.byteLength;
        for (let at = 0; at < chunk.byteLength;) {
          const piece = chunk.subarray(at, Math.min(chunk.byteLength, at + pieceBytes));
          const from = performance.now();
          yield piece;
          at += piece.byteLength;
          sent += piece.byteLength;
          input.onBytes(sent);
          if (performance.now() - from > SLOW_CHUNK_MS) pieceBytes = SMALL_PIECE_BYTES;
        }
      }
      if (given !== input.bytes) throw wrongLength(input, 'fewer');
    } catch (error) {
      failure ??= error;
      throw error;
    }
  }

  const generator = chunks();
  return {
    stream: { bytes: input.bytes, open: () => generator },
    bytesSoFar: () => sent,
    bytesGiven: () => given,
    failure: () => failure,
    async close() {
      if (closed) return;
      closed = true;
      await generator.return(undefined).catch(() => undefined);
    },
  };
}

function wrongLength({ partNumber, bytes }: PartBodyInput, what: 'more' | 'fewer'): MediaServiceError {
  return new MediaServiceError(
    'SourceChanged',
    `part ${partNumber}: the source gave ${what} than the ${bytes} bytes of this part`,
    {
      operation: `part ${partNumber}`,
      outcome: 'ambiguous',
      hint: 'Upload the file anew once nothing writes to it any more.',
      details: { partNumber, bytes },
    },
  );
}
