import { CancellationScope, workflowInfo } from '@temporalio/workflow';
import type { BatchActivities } from '../../activities/batch/batch-activities';
import { shortRunId } from '../../contract/batch';
import type { AccountLine, PageInput } from '../../contract/batch';

/** Written as it goes, in files that stay far below Temporal's 2 MB for a payload. */
const MOST_LINES = 100;
const MOST_CHARACTERS = 384 * 1024;

/** Writes a page's lines down in the order in which its rows end, some at a time; a cancellation does not keep them from being written. */
export class LedgerWriter {
  readonly #input: PageInput;
  readonly #steps: Pick<BatchActivities, 'writeLedger'>;
  readonly #writer = shortRunId(workflowInfo().runId);
  #lines: AccountLine[] = [];
  #characters = 0;
  #chunk = 0;
  #written: Promise<unknown> = Promise.resolve();

  constructor(input: PageInput, steps: Pick<BatchActivities, 'writeLedger'>) {
    this.#input = input;
    this.#steps = steps;
  }

  add(line: AccountLine): void {
    this.#lines.push(line);
    this.#characters += JSON.stringify(line).length;
    if (this.#lines.length >= MOST_LINES || this.#characters >= MOST_CHARACTERS) this.#write();
  }

  /** Resolves when all is written. */
  async close(): Promise<void> {
    if (this.#lines.length > 0) this.#write();
    await this.#written;
  }

  #write(): void {
    const { account, folder, page, round } = this.#input;
    const step = {
      accountId: account.accountId,
      folder,
      page,
      round,
      writer: this.#writer,
      chunk: this.#chunk,
      lines: this.#lines,
    };
    this.#lines = [];
    this.#characters = 0;
    this.#chunk += 1;
    const writing = CancellationScope.nonCancellable(() => this.#steps.writeLedger(step));
    this.#written = Promise.all([this.#written, writing]);
    // It is awaited, and fails the page, when the page closes.
    this.#written.catch(() => undefined);
  }
}
