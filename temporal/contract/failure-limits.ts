import type { BatchOptions } from './batch';

/** With fewer rows, a rate means nothing. */
const ROWS_FOR_A_RATE = 20;

/** Ended and failed rows of this round, since the last resume. */
export interface EndedHere {
  readonly ended: number;
  readonly failed: number;
}

/** Why the batch pauses by itself, a full sentence. Undefined: it continues. */
export function reasonToPause(
  { maxFailures, maxFailureRate }: Pick<BatchOptions, 'maxFailures' | 'maxFailureRate'>,
  { ended, failed }: EndedHere,
): string | undefined {
  if (maxFailures !== undefined && failed > 0 && failed >= maxFailures) {
    return `${String(failed)} rows have failed, and the batch pauses at ${String(maxFailures)}.`;
  }
  if (maxFailureRate === undefined || failed === 0 || ended < ROWS_FOR_A_RATE) return undefined;
  if (failed / ended < maxFailureRate) return undefined;
  return `${String(failed)} of ${String(ended)} rows have failed, and the batch pauses at ${percent(maxFailureRate)}.`;
}

function percent(rate: number): string {
  return `${String(Math.round(rate * 1000) / 10)} %`;
}
