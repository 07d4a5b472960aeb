import { adviceText } from '../../api/advice';
import type { StepFailure } from '../../api/upload/types';
import type { BatchOptions, SameFailed } from './types';

/** With fewer rows, a rate means nothing. */
const ROWS_FOR_A_RATE = 20;

/** Ended and failed rows of this round, since the last resume. */
export interface EndedHere {
  readonly ended: number;
  readonly failed: number;
}

/** Whether the root must know each failed row. */
export function limitsFailures({ maxFailures, maxFailureRate }: BatchOptions): boolean {
  return maxFailures !== undefined || maxFailureRate !== undefined;
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

/** Each report is a signal, and the history of a root has room for few. Failures of further runs only count here. */
const MAX_REPORTED_RUNS = 20;

/**
 * Detects a cause that many rows share, such as a locked account, a wrong mount or a closed bucket. Each further row
 * would only fail as well. Counts the rows of one worker, and says when the root must know the number.
 */
export class SameFailures {
  /** Fewer are chance, and not reported. */
  readonly #few: number;
  readonly #same = new Map<string, number>();
  #newest: SameFailed | undefined;
  #reported: SameFailed | undefined;
  #runs = 0;

  /** `max`: the batch pauses at this number. 0: never. */
  constructor(private readonly max: number) {
    this.#few = Math.ceil(max / 3);
  }

  /** A row was completed, so the failures so far had causes of their own. */
  completed(): void {
    this.#same.clear();
    this.#newest = undefined;
  }

  /** Whether the rows of this worker alone reach the limit: true once. */
  failed(failure: StepFailure): boolean {
    const { code, message, facts } = failure;
    const cause = causeOf(failure);
    const count = (this.#same.get(cause) ?? 0) + 1;
    this.#same.set(cause, count);
    // An error has no message as JSON.
    this.#newest = { cause, count, last: { code, message, facts } };
    return count === this.max;
  }

  /**
   * What the root does not know yet. Undefined: nothing. A number above the limit is never reported, because the root
   * has paused the batch by then.
   */
  unreported(): SameFailed | undefined {
    const known = this.#reported;
    const now = this.#newest ?? (known && { ...known, count: 0 });
    if (now === undefined || now.count > this.max) return undefined;
    if (now.cause === known?.cause && now.count === known.count) return undefined;
    const isRun = now.count >= this.#few;
    const wasRun = known !== undefined && known.count >= this.#few;
    if (!isRun && !wasRun) return undefined;
    if (!wasRun) this.#runs += 1;
    if (isRun && this.#runs > MAX_REPORTED_RUNS && now.count < this.max) return undefined;
    return (this.#reported = now);
  }
}

/** Why the batch pauses if its workers found these: a full sentence. Undefined: it continues. */
export function reasonOfSame(max: number, found: readonly SameFailed[]): string | undefined {
  const counts = new Map<string, number>();
  for (const { cause, count, last } of found) {
    const all = (counts.get(cause) ?? 0) + count;
    if (max > 0 && all >= max) return reasonOf(last, all);
    counts.set(cause, all);
  }
  return undefined;
}

/**
 * The common cause of rows that fail for the same reason: the code, the wrong setting or field, and the answer of the
 * service or storage. Leaves out what belongs to one row: its file, its part, its session and the text of its error,
 * and figures and ids in what remains.
 */
export function causeOf({ code, facts }: Pick<StepFailure, 'code' | 'facts'>): string {
  const { status, field, details } = facts;
  const operation = status === undefined ? undefined : facts.operation;
  const known = [operation, field, details?.['storageCode'], details?.['s3Code']];
  return JSON.stringify([code, status, ...known.map((one) => withoutIds(one))]);
}

/** Words with a digit are ids or figures. */
function withoutIds(text: unknown): unknown {
  if (typeof text !== 'string') return text;
  return text.replace(/[\w-]+/g, (word) => (/\d/.test(word) ? '#' : word));
}

function reasonOf({ code, message, facts }: StepFailure, count: number): string {
  const todo = adviceText(facts);
  return [
    `${String(count)} ${count === 1 ? 'row' : 'rows'} failed for the same reason (${code}) and none was completed in between.`,
    `The last one: ${message.replace(/\.$/, '')}.`,
    ...(todo === undefined ? [] : [todo]),
    'Once that is fixed, resume the batch; when it has ended, retry its failed rows.',
  ].join(' ');
}
