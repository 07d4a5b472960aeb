import { CancellationScope, sleep, workflowInfo } from '@temporalio/workflow';
import { PAGE_REPORT_SIGNAL, type PageReport } from '../../contract/batch';
import { sendTo } from './send-to';

const LATER_MS = 5_000;

/**
 * Reports a page's progress to the root. Sends one signal at a time, each with the newest state. Sends nothing if the
 * root is gone.
 */
export class ParentLink {
  readonly #root = workflowInfo().parent?.workflowId;
  readonly #report: () => PageReport;
  #sending: Promise<void> | undefined;
  #again = false;
  #isTimed = false;

  constructor(report: () => PageReport) {
    this.#report = report;
  }

  send(): void {
    if (this.#root === undefined) return;
    this.#again = true;
    this.#sending ??= this.#sendAll(this.#root);
  }

  /** Sends after some seconds. By then the page has often ended, or there is more to say. */
  async sendLater(): Promise<void> {
    if (this.#root === undefined || this.#isTimed) return;
    this.#isTimed = true;
    await CancellationScope.nonCancellable(() => sleep(LATER_MS));
    this.#isTimed = false;
    this.send();
  }

  /** Resolves when no signal is in flight. */
  async settled(): Promise<void> {
    await this.#sending;
  }

  async #sendAll(root: string): Promise<void> {
    while (this.#again) {
      this.#again = false;
      await sendTo(root, (handle) => handle.signal(PAGE_REPORT_SIGNAL, this.#report()));
    }
    this.#sending = undefined;
  }
}
