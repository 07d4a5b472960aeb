import { MediaServiceError } from '../../errors';
import type { ErrorCode, ErrorFacts } from '../../errors';
import type { RequestStream } from '../../transport/transport';
import type { Clock } from '../../clock';
import type { ByteLimiter } from './admission';
import type { PartHash } from '../../md5/part-hash';
import type { PartInput } from '../types';

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
}

/** Small enough that a slow line shows its progress, large enough that a fast one does not notice. */
const PIECE_BYTES = 256 * 1024;

/** Creates a body that can be opened once. It fails if the source yields more or fewer bytes than the part has. */
export function createPartBody(input: PartBodyInput): PartBody {
  let given = 0;
  let sent = 0;
  let failure: unknown;
  let finished = false;
  let digesting: string | Promise<string> | undefined;
  const digest = (): string | Promise<string> | undefined => (digesting ??= input.hash?.digest());
  const limited = limitedTime(input.byteLimit);
  let waitsForSource = false;

  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      waitsForSource = true;
      for await (const chunk of input.read()) {
        // An empty chunk may follow the last byte, when the hash has ended.
        if (chunk.byteLength === 0) continue;
        waitsForSource = false;
        if (given + chunk.byteLength > input.bytes) throw wrongLength(input, 'more');
        await input.hash?.update(chunk);
        given += chunk.byteLength;
        if (given === input.bytes) {
          // Nobody awaits the digest of a part that fails after its last byte.
          Promise.resolve(digest()).catch(() => undefined);
        }
        for (const piece of piecesOf(chunk, input.byteLimit)) {
          await limited.wait(piece.byteLength);
          yield piece;
          sent += piece.byteLength;
          input.onBytes(sent);
        }
        waitsForSource = true;
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
    waitsForSource: () => waitsForSource,
    async close() {
      // An error of closing does not matter for a part that has ended.
      await generator.return(undefined).catch(() => undefined);
    },
  };
}

function* piecesOf(chunk: Uint8Array, limit: ByteLimit | undefined): Generator<Uint8Array> {
  const maxBytes = Math.min(PIECE_BYTES, limit?.byteLimiter.sliceBytes() ?? PIECE_BYTES);
  for (let at = 0; at < chunk.byteLength; at += maxBytes) yield chunk.subarray(at, at + maxBytes);
}

/** Waits for bandwidth and sums up that time, because it says nothing about the line. */
function limitedTime(byteLimit: ByteLimit | undefined): { wait(bytes: number): Promise<void>; ms(): number } {
  let before = 0;
  let since: number | undefined;
  return {
    async wait(bytes) {
      if (byteLimit === undefined) return;
      since = byteLimit.clock.now();
      try {
        await byteLimit.byteLimiter.take(bytes, byteLimit.signal);
      } finally {
        before += byteLimit.clock.now() - since;
        since = undefined;
      }
    },
    ms: () => before + (since === undefined || byteLimit === undefined ? 0 : byteLimit.clock.now() - since),
  };
}

function wrongLength({ partNumber, bytes }: PartBodyInput, what: 'more' | 'fewer'): MediaServiceError {
  return partError('SourceChanged', partNumber, {
    what: `the source gave ${what} than the ${bytes} bytes of this part`,
    hint: 'Upload the file again when nothing writes to it any more.',
    details: { partNumber, bytes },
  });
}

/** The error of a part. Its outcome is ambiguous unless something else is known. */
export function partError(
  code: ErrorCode,
  partNumber: number,
  { what, cause, ...facts }: ErrorFacts & { readonly what: string; readonly cause?: unknown },
): MediaServiceError {
  const operation = `part ${partNumber}`;
  const known = { operation, outcome: 'ambiguous', details: { partNumber }, ...facts } as const;
  return new MediaServiceError(code, `${operation}: ${what}`, known, cause === undefined ? {} : { cause });
}

const CHECKS_PER_STALL = 5;

/**
 * Watches bytes that leave. Rejects with `PartStalled` if none left for `stallMs`; `details.waitsFor` is `source` if the
 * line was not the reason. Resolves when `signal` aborts. It reads `bytesSoFar` a few times per `stallMs`.
 */
export async function watchStall(
  { partNumber, stallMs }: Pick<PartInput, 'partNumber' | 'stallMs'>,
  watched: Pick<PartBody, 'bytesSoFar' | 'waitsForSource'> & Pick<ByteLimit, 'clock' | 'signal'>,
): Promise<void> {
  const { clock, signal } = watched;
  let left = 0;
  let movedAt = clock.now();
  const goOn = (): Promise<boolean> =>
    clock.sleep(Math.max(1, stallMs / CHECKS_PER_STALL), signal).then(
      () => !signal.aborted,
      () => false,
    );
  while (await goOn()) {
    const [bytes, now] = [watched.bytesSoFar(), clock.now()];
    if (bytes > left) [left, movedAt] = [bytes, now];
    const stillMs = now - movedAt;
    if (stillMs >= stallMs) throw stalled(partNumber, stillMs, watched.waitsForSource() ? 'source' : 'line');
  }
}

const HINTS = {
  line: 'The part is sent again automatically, with fewer parts at once.',
  source: 'The part is sent again automatically. If it stays so, look at what serves the file.',
};

function stalled(partNumber: number, stillMs: number, waitsFor: keyof typeof HINTS): MediaServiceError {
  const because = waitsFor === 'source' ? ', because the source gave none' : '';
  return partError('PartStalled', partNumber, {
    what: `no byte left for ${Math.round(stillMs)} ms${because}`,
    hint: HINTS[waitsFor],
    details: { partNumber, waitsFor },
  });
}
