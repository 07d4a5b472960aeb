import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  ParentClosePolicy,
  startChild,
  workflowInfo,
  WorkflowIdReusePolicy,
} from '@temporalio/workflow';
import type { ChildWorkflowHandle } from '@temporalio/workflow';
import type { BatchActivities } from '../../activities/batch/batch-activities';
import type { AwaitedPage } from '../../activities/batch/await-page';
import { controlQueue } from '../../contract/upload';
import { BATCH_INPUT_SCHEMA, BATCH_PAGE_WORKFLOW, PAGE_SLOTS_SIGNAL } from '../../contract/batch';
import type { BatchInput, PageInput, PageResult } from '../../contract/batch';
import { batchPageWorkflowId, batchWorkflowId, fairnessKeyOf } from '../../contract/batch-ids';
import { sendTo } from './send-to';

/** Temporal's priorities are 1 to 5, with 3 as default. So a single upload does not wait behind a batch. */
const PAGE_PRIORITY = 4;

type PageWorkflow = (input: PageInput) => Promise<PageResult>;

type StartPage = Pick<PageInput, 'page' | 'slots' | 'paused' | 'losses'>;

/** Starts pages, controls them and waits for them. A cancellation of the root interrupts none of this. */
export class PageWorkflows {
  readonly #input: BatchInput;
  readonly #steps: Pick<BatchActivities, 'awaitPage'>;
  readonly #round: () => number;

  /** `round`: called only after the plan is known. */
  constructor(input: BatchInput, steps: Pick<BatchActivities, 'awaitPage'>, round: () => number) {
    this.#input = input;
    this.#steps = steps;
    this.#round = round;
  }

  /** Workflow id of a page of this batch. */
  idOf(page: number): string {
    const { account, batchId } = this.#input;
    const start = { round: this.#round(), startedBy: workflowInfo().firstExecutionRunId };
    return batchPageWorkflowId(batchWorkflowId(account.accountId, batchId), start, page);
  }

  /** Resolves when the page runs. Finds a page that an earlier run of the root started. `ended` never rejects. */
  async start(page: StartPage): Promise<{ readonly ended: Promise<AwaitedPage> }> {
    const { account, queuePrefix, batchId, folder, options, retryFailed = false } = this.#input;
    const shared = { schema: BATCH_INPUT_SCHEMA, account, queuePrefix, batchId, folder, options };
    const input: PageInput = { ...shared, retryFailed, round: this.#round(), ...page };
    try {
      const child = await CancellationScope.nonCancellable(() =>
        startChild<PageWorkflow>(BATCH_PAGE_WORKFLOW, {
          workflowId: this.idOf(page.page),
          taskQueue: controlQueue(queuePrefix, account.accountId),
          args: [input],
          workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
          // The policy also applies to a continue-as-new, and then the page must continue.
          parentClosePolicy: ParentClosePolicy.ABANDON,
          staticSummary: `Page ${String(page.page)} of ${batchId}`,
          priority: { priorityKey: PAGE_PRIORITY, fairnessKey: fairnessKeyOf(batchId) },
        }),
      );
      return { ended: endOf(child) };
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return { ended: this.adopt(page.page) };
      return { ended: Promise.resolve({ lost: 'it could not be started' }) };
    }
  }

  /** Waits for a page that an earlier run of the root started. */
  adopt(page: number): Promise<AwaitedPage> {
    const { accountId } = this.#input.account;
    return CancellationScope.nonCancellable(() =>
      this.#steps.awaitPage({ accountId, workflowId: this.idOf(page) }),
    );
  }

  /** A page that has ended meanwhile needs no signal. */
  grow(page: number, slots: number): Promise<void> {
    return sendTo(this.idOf(page), (handle) => handle.signal(PAGE_SLOTS_SIGNAL, slots));
  }

  control(page: number, signal: string): Promise<void> {
    return sendTo(this.idOf(page), (handle) => handle.signal(signal));
  }

  cancel(page: number): Promise<void> {
    return sendTo(this.idOf(page), (handle) => handle.cancel());
  }
}

async function endOf(child: ChildWorkflowHandle<PageWorkflow>): Promise<AwaitedPage> {
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
