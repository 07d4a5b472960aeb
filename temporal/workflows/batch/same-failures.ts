import type { StepFailure } from '../../../api/upload/upload-steps';
import { DEFAULT_BATCH_OPTIONS } from '../../contract/batch';
import type { BatchOptions } from '../../contract/batch';

/**
 * Watches how a page's rows end for a cause that many of them share: an account that is locked out, a wrong mount, a bucket that is closed.
 * Each further row would only fail as well.
 */
export class SameFailures {
  readonly #max: number;
  /** Since a row was completed, by cause. */
  readonly #counts = new Map<string, number>();

  constructor({
    maxSameFailures = DEFAULT_BATCH_OPTIONS.maxSameFailures,
  }: Pick<BatchOptions, 'maxSameFailures'>) {
    this.#max = maxSameFailures;
  }

  /** Rows get through: the failures so far were theirs alone. */
  completed(): void {
    this.#counts.clear();
  }

  /**
   * Why the batch should pause: a full sentence, once for each cause until a row is completed or the batch is resumed. A reason that came late
   * would undo a resume.
   */
  failed(failure: StepFailure): string | undefined {
    const cause = causeOf(failure);
    const count = (this.#counts.get(cause) ?? 0) + 1;
    this.#counts.set(cause, count);
    return count === this.#max ? reasonOf(failure, count) : undefined;
  }

  /** Counts from 0. */
  forgive(): void {
    this.#counts.clear();
  }
}

/**
 * What two rows have in common that failed for the same reason: the code, the setting or field that is wrong, and what the service or storage
 * answered to what. Never what belongs to one row: its file, its part, its session, the words of its error.
 */
export function causeOf({ code, facts }: Pick<StepFailure, 'code' | 'facts'>): string {
  const { status, field, details } = facts;
  const operation = status === undefined ? undefined : facts.operation?.replace(/ \d+$/, '');
  return JSON.stringify([code, operation, status, field, details?.['storageCode'], details?.['s3Code']]);
}

function reasonOf({ code, message, facts: { hint } }: StepFailure, count: number): string {
  const rows = count === 1 ? '1 row' : `${String(count)} rows of a page`;
  return [
    `${rows} failed for the same reason (${code}) and none was completed in between.`,
    `The last one: ${message.replace(/\.$/, '')}.`,
    ...(hint === undefined ? [] : [hint]),
    'Once that is fixed, resume the batch, and start it with retry-failed for the rows that failed.',
  ].join(' ');
}
