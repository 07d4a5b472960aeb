import { CancellationScope, getExternalWorkflowHandle, workflowInfo } from '@temporalio/workflow';
import { PAGE_REPORT_SIGNAL } from '../../contract/batch';
import type { PageReport } from '../../contract/batch';
import { noteUntold } from './note-untold';

/** Tells the root how a page goes: one signal at a time, each with what is newest then. A root that is gone is not told. */
export class RootLink {
  readonly #root = workflowInfo().parent?.workflowId;
  readonly #report: () => PageReport;
  #telling: Promise<void> | undefined;
  #again = false;

  constructor(report: () => PageReport) {
    this.#report = report;
  }

  tell(): void {
    if (this.#root === undefined) return;
    this.#again = true;
    this.#telling ??= this.#tellAll(this.#root);
  }

  /** Resolves when nothing is on its way any more. */
  async settled(): Promise<void> {
    await this.#telling;
  }

  async #tellAll(root: string): Promise<void> {
    while (this.#again) {
      this.#again = false;
      await CancellationScope.nonCancellable(() =>
        getExternalWorkflowHandle(root).signal(PAGE_REPORT_SIGNAL, this.#report()),
      ).catch(noteUntold(root));
    }
    this.#telling = undefined;
  }
}
