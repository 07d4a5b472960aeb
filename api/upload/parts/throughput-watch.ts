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

/**
 * Watches bytes that leave. Rejects with `PartStalled` if none left for `stallMs`, or fewer than `minimumThroughput` a
 * second over twice that time. Resolves when `signal` aborts. It reads `bytesSoFar` a few times per `stallMs`.
 */
export async function watchThroughput(
  rules: ThroughputRules,
  source: { readonly clock: Clock; bytesSoFar(): number; readonly signal: AbortSignal },
): Promise<void> {
  const { clock, signal } = source;
  const periodMs = rules.stallMs * STALLS_PER_PERIOD;
  const samples: Sample[] = [{ at: clock.now(), bytes: source.bytesSoFar() }];
  let lastMove = clock.now();
  const goOn = (): Promise<boolean> =>
    clock.sleep(Math.max(1, rules.stallMs / CHECKS_PER_STALL), signal).then(
      () => !signal.aborted,
      () => false,
    );
  while (await goOn()) {
    const sample = { at: clock.now(), bytes: source.bytesSoFar() };
    if (sample.bytes > (samples.at(-1)?.bytes ?? 0)) lastMove = sample.at;
    samples.push(sample);
    while ((samples[1]?.at ?? sample.at) <= sample.at - periodMs) samples.shift();
    refuseStall(sample.at - lastMove, rules);
    refuseTrickle(samples, periodMs, rules);
  }
}

interface Sample {
  readonly at: number;
  readonly bytes: number;
}

function refuseStall(stillMs: number, { partNumber, stallMs }: ThroughputRules): void {
  if (stillMs < stallMs) return;
  throw stalled(partNumber, `no byte left for ${Math.round(stillMs)} ms`);
}

function refuseTrickle(samples: readonly Sample[], periodMs: number, rules: ThroughputRules): void {
  const first = samples[0];
  const last = samples.at(-1);
  if (first === undefined || last === undefined || last.at - first.at < periodMs) return;
  const rate = ((last.bytes - first.bytes) / (last.at - first.at)) * 1000;
  if (rate >= rules.minimumThroughput) return;
  throw stalled(
    rules.partNumber,
    `${Math.round(rate)} bytes a second are below the minimum of ${rules.minimumThroughput}`,
  );
}

function stalled(partNumber: number, what: string): MediaServiceError {
  return new MediaServiceError('PartStalled', `part ${partNumber}: ${what}`, {
    operation: `part ${partNumber}`,
    outcome: 'ambiguous',
    hint: 'The part is sent again automatically, with fewer parts at once. If it stays so, lower the minimum throughput.',
    details: { partNumber },
  });
}
