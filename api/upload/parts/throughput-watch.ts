import type { Clock } from '../../clock';
import { MediaServiceError } from '../../errors';

interface ThroughputRules {
  readonly partNumber: number;
  /** Longest time without a byte, ms. */
  readonly stallMs: number;
  /** Bytes per second. 0: no minimum. */
  readonly minimumThroughput: number;
}

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
