import { MediaServiceError } from '../../errors';
import type { RequestStream } from '../../transport/transport';
import type { Clock } from '../../clock';
import type { ByteLimiter } from './part-rate';
import type { PartHash } from '../../md5/part-hash';
import type { PartInput } from '../upload-steps';

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

type ThroughputRules = Pick<PartInput, 'partNumber' | 'stallMs' | 'minimumThroughput'>;

/** Throughput is measured over this many times `stallMs`, so that a short pause does not count as a slow line. */
const STALLS_PER_PERIOD = 2;
const CHECKS_PER_STALL = 5;

interface Watched {
  readonly clock: Clock;
  bytesSoFar(): number;
  waitsForSource(): boolean;
  readonly signal: AbortSignal;
}

/**
 * Watches bytes that leave. Rejects with `PartStalled` if none left for `stallMs`, or fewer than `minimumThroughput` a
 * second over twice that time; `details.waitsFor` is `source` if the line was not the reason. Resolves when `signal`
 * aborts. It reads `bytesSoFar` a few times per `stallMs`.
 */
export async function watchThroughput(rules: ThroughputRules, source: Watched): Promise<void> {
  const { clock, signal } = source;
  const periodMs = rules.stallMs * STALLS_PER_PERIOD;
  const sampled = (): Sample => ({
    at: clock.now(),
    bytes: source.bytesSoFar(),
    waitsForSource: source.waitsForSource(),
  });
  const samples: Sample[] = [sampled()];
  let lastMove = clock.now();
  const goOn = (): Promise<boolean> =>
    clock.sleep(Math.max(1, rules.stallMs / CHECKS_PER_STALL), signal).then(
      () => !signal.aborted,
      () => false,
    );
  while (await goOn()) {
    const sample = sampled();
    if (sample.bytes > (samples.at(-1)?.bytes ?? 0)) lastMove = sample.at;
    samples.push(sample);
    while ((samples[1]?.at ?? sample.at) <= sample.at - periodMs) samples.shift();
    const what = stillFor(sample.at - lastMove, rules) ?? trickleOf(samples, periodMs, rules);
    if (what !== undefined) throw stalled(rules, what, samples);
  }
}

interface Sample {
  readonly at: number;
  readonly bytes: number;
  readonly waitsForSource: boolean;
}

function stillFor(stillMs: number, { stallMs }: ThroughputRules): string | undefined {
  return stillMs < stallMs ? undefined : `no byte left for ${Math.round(stillMs)} ms`;
}

function trickleOf(
  samples: readonly Sample[],
  periodMs: number,
  { minimumThroughput }: ThroughputRules,
): string | undefined {
  const first = samples[0];
  const last = samples.at(-1);
  if (first === undefined || last === undefined || last.at - first.at < periodMs) return undefined;
  const rate = ((last.bytes - first.bytes) / (last.at - first.at)) * 1000;
  if (rate >= minimumThroughput) return undefined;
  return `${Math.round(rate)} bytes a second are below the minimum of ${minimumThroughput}`;
}

const HINTS = {
  line: 'The part is sent again automatically, with fewer parts at once. If it stays so, lower the minimum throughput.',
  source:
    'The part is sent again automatically. If it stays so, look at what serves the file, or lower the minimum throughput.',
};

function stalled(
  { partNumber }: ThroughputRules,
  what: string,
  samples: readonly Sample[],
): MediaServiceError {
  const latest = samples.slice(-CHECKS_PER_STALL);
  const waits = latest.filter(({ waitsForSource }) => waitsForSource);
  const waitsFor = waits.length * 2 > latest.length ? 'source' : 'line';
  const because = waitsFor === 'source' ? ', because the source gave too few' : '';
  return new MediaServiceError('PartStalled', `part ${partNumber}: ${what}${because}`, {
    operation: `part ${partNumber}`,
    outcome: 'ambiguous',
    hint: HINTS[waitsFor],
    details: { partNumber, waitsFor },
  });
}
