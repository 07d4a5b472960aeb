import {
  CancellationScope,
  ParentClosePolicy,
  startChild,
  workflowInfo,
  WorkflowIdReusePolicy,
} from '@temporalio/workflow';
import type { ChildWorkflowHandle } from '@temporalio/workflow';
import { controlQueue, PAUSE_SIGNAL, RESUME_SIGNAL } from '../../contract/upload';
import { BATCH_INPUT_SCHEMA, BATCH_PAGE_WORKFLOW } from '../../contract/batch';
import type { BatchInput, PageInput, PageResult } from '../../contract/batch';
import { batchPageWorkflowId, batchWorkflowId, fairnessKeyOf } from '../../contract/batch-ids';
import { sendTo } from './send-to';

/** Temporal's priorities are 1 to 5, with 3 as default. So a single upload does not wait behind a batch. */
const PAGE_PRIORITY = 4;

type PageWorkflow = (input: PageInput) => Promise<PageResult>;

/** `lost`: how the page ended without a result. */
export type EndedPage = { readonly result: PageResult } | { readonly lost: string };

type StartPage = Pick<PageInput, 'page' | 'slots' | 'paused' | 'resumes' | 'losses'>;

/** Starts pages, controls them and waits for them. A cancellation of the root interrupts none of this. */
export class PageWorkflows {
  readonly #input: BatchInput;
  readonly #round: () => number;

  /** `round`: called only after the plan is known. */
  constructor(input: BatchInput, round: () => number) {
    this.#input = input;
    this.#round = round;
  }

  /** Workflow id of a page of this batch. */
  idOf(page: number): string {
    const { account, batchId } = this.#input;
    const start = { round: this.#round(), startedBy: workflowInfo().firstExecutionRunId };
    return batchPageWorkflowId(batchWorkflowId(account.accountId, batchId), start, page);
  }

  /** Resolves when the page runs. `ended` never rejects. */
  async start(page: StartPage): Promise<{ readonly ended: Promise<EndedPage> }> {
    const { account, queuePrefix, batchId, folder, options, retryFailed = false } = this.#input;
    const shared = { schema: BATCH_INPUT_SCHEMA, account, queuePrefix, batchId, folder, options };
    const input: PageInput = { ...shared, retryFailed, round: this.#round(), ...page };
    try {
      const child = await CancellationScope.nonCancellable(() =>
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
      return { ended: endOf(child) };
    } catch (error) {
      return { ended: Promise.resolve({ lost: reasonOf(error) }) };
    }
  }

  /** A page that has ended meanwhile needs no signal. */
  pause(page: number): Promise<void> {
    return sendTo(this.idOf(page), (handle) => handle.signal(PAUSE_SIGNAL));
  }

  resume(page: number, resumes: number): Promise<void> {
    return sendTo(this.idOf(page), (handle) => handle.signal(RESUME_SIGNAL, resumes));
  }

  cancel(page: number): Promise<void> {
    return sendTo(this.idOf(page), (handle) => handle.cancel());
  }
}

async function endOf(child: ChildWorkflowHandle<PageWorkflow>): Promise<EndedPage> {
  try {
    const result = await CancellationScope.nonCancellable(() => child.result());
    return { result };
  } catch (error) {
    return { lost: reasonOf(error) };
  }
}

/** The innermost link of Temporal's chain has the most information. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it ended without a reason';
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
}
