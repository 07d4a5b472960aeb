import { adviceText } from '../../../api/typescript-words';
import type { StepFailure } from '../../../api/upload/upload-steps';
import { DEFAULT_BATCH_OPTIONS, type BatchOptions } from '../../contract/batch';

/**
 * Detects a cause that many rows of a page share, such as a locked account, a wrong mount or a closed bucket. Each
 * further row would only fail as well.
 */
export class SameFailures {
  readonly #max: number;
  /** Failures since the last completed row, by cause. */
  readonly #counts = new Map<string, number>();

  constructor({
    maxSameFailures = DEFAULT_BATCH_OPTIONS.maxSameFailures,
  }: Pick<BatchOptions, 'maxSameFailures'>) {
    this.#max = maxSameFailures;
  }

  /** A row was completed, so the failures so far had causes of their own. */
  completed(): void {
    this.#counts.clear();
  }

  /**
   * Why the batch should pause: a full sentence. Returned once for each cause until a row is completed or the batch is
   * resumed, because a late reason would undo a resume.
   */
  failed(failure: StepFailure): string | undefined {
    const cause = causeOf(failure);
    const count = (this.#counts.get(cause) ?? 0) + 1;
    this.#counts.set(cause, count);
    return count === this.#max ? reasonOf(failure, count) : undefined;
  }

  /** Starts counting from 0. */
  forgive(): void {
    this.#counts.clear();
  }
}

/**
 * The common cause of rows that fail for the same reason: the code, the wrong setting or field, and the answer of the
 * service or storage. Leaves out what belongs to one row: its file, its part, its session and the text of its error.
 */
export function causeOf({ code, facts }: Pick<StepFailure, 'code' | 'facts'>): string {
  const { status, field, details } = facts;
  const operation = status === undefined ? undefined : facts.operation?.replace(/ \d+$/, '');
  return JSON.stringify([code, operation, status, field, details?.['storageCode'], details?.['s3Code']]);
}

function reasonOf({ code, message, facts }: StepFailure, count: number): string {
  const todo = adviceText(facts);
  const rows = count === 1 ? '1 row' : `${String(count)} rows of a page`;
  return [
    `${rows} failed for the same reason (${code}) and none was completed in between.`,
    `The last one: ${message.replace(/\.$/, '')}.`,
    ...(todo === undefined ? [] : [todo]),
    'Once that is fixed, resume the batch; when it has ended, retry its failed rows.',
  ].join(' ');
}
