import { MediaServiceError } from '../../errors';
import type { RequestStream } from '../../transport/transport';
import type { Clock } from '../../clock';
import type { ByteLimiter } from './bandwidth-limiter';
import type { PartHash } from '../../md5/part-hash';

/**
 * The body of one part PUT. It counts and hashes the bytes that leave, and can be closed whether or not anyone read it.
 */
export interface PartBody {
  readonly stream: RequestStream;
  /** Bytes that the transport has finished with. */
  bytesSoFar(): number;
  /** Bytes that the transport was given; it may still hold the last of them. */
  bytesGiven(): number;
  /**
   * The MD5 of the given bytes, if they are hashed. A part that was given all its bytes has begun it already, so that
   * the hash does not wait for storage's answer.
   */
  digest(): string | Promise<string> | undefined;
  /**
   * Reads the source to its end, where it is compared for the last time. Returns whether everything was given before:
   * a transport may stop at the last byte. Rejects with the source's error.
   */
  finish(): Promise<boolean>;
  /** What went wrong when reading the source. A transport may hide it behind its own error. */
  failure(): unknown;
  /** Time for which the body itself held bytes back, ms. */
  limitedMs(): number;
  /** The line could take more, but the source has not given it yet. */
  waitsForSource(): boolean;
  /** Ends the reading of the source; resolves once the source is closed. */
  close(): Promise<void>;
}

interface PartBodyInput {
  readonly partNumber: number;
  readonly bytes: number;
  read(): AsyncIterable<Uint8Array>;
  /** Unset: nothing is hashed. */
  readonly hash?: PartHash | undefined;
  onBytes(bytesSoFar: number): void;
  readonly byteLimit?: ByteLimit | undefined;
}

/** How a body keeps to its bandwidth. */
interface ByteLimit {
  readonly byteLimiter: ByteLimiter;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** `true`: bytes wait from now on. `false`: they may leave. */
  onWaiting(waiting: boolean): void;
}

/** Small enough that a slow line shows its progress, large enough that a fast one does not notice. */
const PIECE_BYTES = 128 * 1024;

/** Creates a body that can be opened once. It fails if the source yields more or fewer bytes than the part has. */
export function createPartBody(input: PartBodyInput): PartBody {
  let given = 0;
  let sent = 0;
  let failure: unknown;
  let closed = false;
  let finished = false;
  let digesting: string | Promise<string> | undefined;
  const digest = (): string | Promise<string> | undefined => (digesting ??= input.hash?.digest());
  const limited = limitedTime(input.byteLimit);
  const source = sourceOf(input);

  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of source.chunks()) {
        if (given + chunk.byteLength > input.bytes) throw wrongLength(input, 'more');
        await input.hash?.update(chunk);
        given += chunk.byteLength;
        if (given === input.bytes) {
          // Nobody awaits the digest of a part that fails after its last byte.
          Promise.resolve(digest()).catch(() => undefined);
        }
        for (let at = 0; at < chunk.byteLength;) {
          const maxBytes = Math.min(PIECE_BYTES, input.byteLimit?.byteLimiter.sliceBytes() ?? PIECE_BYTES);
          const piece = chunk.subarray(at, Math.min(chunk.byteLength, at + maxBytes));
          await limited.wait(piece.byteLength);
          yield piece;
          at += piece.byteLength;
          sent += piece.byteLength;
          input.onBytes(sent);
        }
      }
      if (given !== input.bytes) throw wrongLength(input, 'fewer');
      finished = true;
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
    digest,
    async finish() {
      await generator.next();
      return finished;
    },
    failure: () => failure,
    limitedMs: () => limited.ms(),
    waitsForSource: () => source.waits(),
    async close() {
      if (closed) return;
      closed = true;
      // An error of closing does not matter for a part that has ended.
      await generator.return(undefined).catch(() => undefined);
    },
  };
}

/** Yields no empty chunk: it may follow the last byte, when the hash has ended. */
function sourceOf(input: PartBodyInput): { chunks(): AsyncIterable<Uint8Array>; waits(): boolean } {
  let waits = false;
  return {
    async *chunks() {
      waits = true;
      for await (const chunk of input.read()) {
        waits = false;
        if (chunk.byteLength > 0) yield chunk;
        waits = true;
      }
    },
    waits: () => waits,
  };
}

/** Waits for bandwidth and sums up that time, because it says nothing about the line. */
function limitedTime(byteLimit: ByteLimit | undefined): { wait(bytes: number): Promise<void>; ms(): number } {
  let before = 0;
  let since: number | undefined;
  return {
    async wait(bytes) {
      if (byteLimit === undefined) return;
      since = byteLimit.clock.now();
      byteLimit.onWaiting(true);
      try {
        await byteLimit.byteLimiter.take(bytes, byteLimit.signal);
      } finally {
        before += byteLimit.clock.now() - since;
        since = undefined;
        byteLimit.onWaiting(false);
      }
    },
    ms: () => before + (since === undefined || byteLimit === undefined ? 0 : byteLimit.clock.now() - since),
  };
}

function wrongLength({ partNumber, bytes }: PartBodyInput, what: 'more' | 'fewer'): MediaServiceError {
  return new MediaServiceError(
    'SourceChanged',
    `part ${partNumber}: the source gave ${what} than the ${bytes} bytes of this part`,
    {
      operation: `part ${partNumber}`,
      outcome: 'ambiguous',
      hint: 'Upload the file again when nothing writes to it any more.',
      details: { partNumber, bytes },
    },
  );
}
