import type { AccountLine } from '../../contract/batch';

/** One refusal can end all rows that wait for the same login; so many, and none completed in between, are the account's fault. */
const ROWS_FOR_A_VERDICT = 10;

/** Watches how a page's rows end for an account that the service lets in no more: each further row would be one more refused login. */
export class RefusedLogins {
  #inARow = 0;

  /**
   * Why the batch should pause: a full sentence, once. Undefined: rows still get in, too few were refused to tell, or it was said, since a reason that
   * comes late would undo a resume.
   */
  ended({ status, error }: Pick<AccountLine, 'status' | 'error'>): string | undefined {
    if (status === 'COMPLETED') this.#inARow = 0;
    if (error?.code !== 'LoginRefused') return undefined;
    this.#inARow += 1;
    if (this.#inARow !== ROWS_FOR_A_VERDICT) return undefined;
    return `The service lets the account in no more, so that no row can be uploaded: ${error.message} Resume the batch when that is mended, and retry what failed.`;
  }

  /** Counts anew. */
  forgive(): void {
    this.#inARow = 0;
  }
}
