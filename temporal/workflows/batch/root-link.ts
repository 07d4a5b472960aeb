import { CancellationScope, getExternalWorkflowHandle, workflowInfo } from '@temporalio/workflow';
import { PAGE_REPORT_SIGNAL } from '../../contract/batch';
import type { PageReport } from '../../contract/batch';
import { noteUndelivered } from './note-undelivered';

/**
 * Reports a page's progress to the root. Sends one signal at a time, each with the newest state. Sends nothing if the
 * root is gone.
 */
export class RootLink {
  readonly #root = workflowInfo().parent?.workflowId;
  readonly #report: () => PageReport;
  #sending: Promise<void> | undefined;
  #again = false;

  constructor(report: () => PageReport) {
    this.#report = report;
  }

  send(): void {
    if (this.#root === undefined) return;
    this.#again = true;
    this.#sending ??= this.#sendAll(this.#root);
  }

  /** Resolves when no signal is in flight. */
  async settled(): Promise<void> {
    await this.#sending;
  }

  async #sendAll(root: string): Promise<void> {
    while (this.#again) {
      this.#again = false;
      await CancellationScope.nonCancellable(() =>
        getExternalWorkflowHandle(root).signal(PAGE_REPORT_SIGNAL, this.#report()),
      ).catch(noteUndelivered(root));
    }
    this.#sending = undefined;
  }
}
