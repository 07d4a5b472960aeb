import {
  CancellationScope,
  ParentClosePolicy,
  startChild,
  WorkflowIdReusePolicy,
  workflowInfo,
} from '@temporalio/workflow';
import type { ChildWorkflowHandle } from '@temporalio/workflow';
import { MediaServiceError } from '../../../api/errors';
import { controlQueue, PAUSE_SIGNAL, RESUME_SIGNAL } from '../../upload/types';
import { BATCH_PAGE_WORKFLOW, DEFAULT_BATCH_OPTIONS } from '../types';
import type { BatchInput, PageInput, PageCounts } from '../types';
import { batchPageWorkflowId, batchWorkflowId, fairnessKeyOf } from '../ids';
import { sendTo } from '../../workflow/signals';

/** Temporal's priorities are 1 to 5, with 3 as default. So a single upload does not wait behind a batch. */
const PAGE_PRIORITY = 4;

type PageWorkflow = (input: PageInput) => Promise<PageCounts>;

/** Starts pages, controls them and waits for them. A cancellation of the root interrupts none of this. */
export class PageWorkflows {
  /** `round`: called only after the plan is known. */
  constructor(
    private readonly input: BatchInput,
    private readonly round: () => number,
  ) {}

  /** Workflow id of a page of this batch. */
  idOf(page: number): string {
    const { account, batchId } = this.input;
    const start = { round: this.round(), startedBy: workflowInfo().firstExecutionRunId };
    return batchPageWorkflowId(batchWorkflowId(account.accountId, batchId), start, page);
  }

  /** Resolves when the page runs. */
  start(
    page: Pick<PageInput, 'page' | 'slots' | 'paused' | 'resumes' | 'proves'>,
  ): Promise<ChildWorkflowHandle<PageWorkflow>> {
    const { account, queuePrefix, batchId, folder, options, retryFailed = false } = this.input;
    const shared = { account, queuePrefix, batchId, folder, options };
    const input: PageInput = { ...shared, retryFailed, round: this.round(), ...page };
    return CancellationScope.nonCancellable(() =>
      startChild<PageWorkflow>(BATCH_PAGE_WORKFLOW, {
        workflowId: this.idOf(page.page),
        taskQueue: controlQueue(queuePrefix, account.accountId),
        args: [input],
        workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
        parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
        staticSummary: `Page ${String(page.page)} of ${batchId}`,
        priority: { priorityKey: PAGE_PRIORITY, fairnessKey: fairnessKeyOf(batchId) },
      }),
    );
  }

  /**
   * The result of a page. Rejects if it ended without one, as when somebody terminates it: its journal has the results
   * of its rows, so that the batch can be started again.
   */
  async endOf(page: number, child: ChildWorkflowHandle<PageWorkflow>): Promise<PageCounts> {
    try {
      return await CancellationScope.nonCancellable(() => child.result());
    } catch (error) {
      const message = `${this.idOf(page)} ended without a result: ${reasonOf(error)}.`;
      const hint = 'Start the batch again to continue: completed rows are not repeated.';
      throw new MediaServiceError('Internal', message, { hint });
    }
  }

  /** A page that has ended meanwhile needs no signal. */
  control(page: number, { paused, resumes }: PageControl): Promise<void> {
    const signal = paused ? PAUSE_SIGNAL : RESUME_SIGNAL;
    return sendTo(this.idOf(page), (handle) => handle.signal(signal, resumes));
  }

  cancel(page: number): Promise<void> {
    return sendTo(this.idOf(page), (handle) => handle.cancel());
  }
}

/** What the root sends to a page about pauses. */
export type PageControl = Pick<PageInput, 'paused' | 'resumes'>;

/** The innermost link of Temporal's chain has the most information. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it ended without a reason';
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
}

/** So many pages run at once that each worker has some, and that a slow file of one page delays no other. */
const MAX_OPEN = 16;

interface OpenPagesOptions {
  readonly pages: number;
  readonly parallelUploads?: number | undefined;
}

/**
 * Which pages run, and how many rows each may upload at once. All open pages together never have more slots than
 * `parallelUploads`, and each has at least one. A page passes its slots on when it ends.
 */
export class OpenPages {
  readonly #slots: number;
  readonly #waiting: number[];
  readonly #open = new Map<number, number>();

  constructor({ pages, parallelUploads = DEFAULT_BATCH_OPTIONS.parallelUploads }: OpenPagesOptions) {
    this.#slots = parallelUploads;
    this.#waiting = Array.from({ length: pages }, (_, page) => page);
  }

  get open(): readonly number[] {
    return [...this.#open.keys()];
  }

  get done(): boolean {
    return this.#open.size === 0 && this.#waiting.length === 0;
  }

  /** Opens the next page. Undefined: none is left, or enough are open. */
  take(): { readonly page: number; readonly slots: number } | undefined {
    const max = Math.min(MAX_OPEN, this.#slots, this.#open.size + this.#waiting.length);
    const used = [...this.#open.values()].reduce((sum, slots) => sum + slots, 0);
    if (this.#open.size >= max) return undefined;
    const page = this.#waiting.shift();
    if (page === undefined) return undefined;
    const slots = Math.ceil((this.#slots - used) / (max - this.#open.size));
    this.#open.set(page, slots);
    return { page, slots };
  }

  ended(page: number): void {
    this.#open.delete(page);
  }
}
