import {
  CancellationScope,
  CancelledFailure,
  condition,
  defineQuery,
  defineSignal,
  isCancellation,
  setHandler,
  setWorkflowOptions,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import { applicationFailureOf } from '../../application-failure';
import { errorOfFailure } from '../../failure';
import { metrics } from '../../telemetry/workflow';
import type { ForAccount } from '../../upload/types';
import { pauseSignal, resumeSignal } from '../../workflow/signals';
import { BATCH_PROGRESS_QUERY, PAGE_REPORT_SIGNAL } from '../types';
import type {
  BatchInput,
  BatchMemo,
  BatchPhase,
  BatchPlan,
  BatchProgress,
  BatchResult,
  PageReport,
  PageCounts,
} from '../types';
import { batchSteps } from './batch-steps';
import { OpenPages, PageWorkflows } from './page-workflows';
import type { PageControl } from './page-workflows';
import { RunCounts } from './run-counts';

const batchProgressQuery = defineQuery<BatchProgress>(BATCH_PROGRESS_QUERY);
const pageReportSignal = defineSignal<[PageReport]>(PAGE_REPORT_SIGNAL);

/**
 * Uploads all rows of a manifest: plans them into pages, keeps several pages running, and writes the results. A batch
 * with failed rows still ends well. It can be started again at any time under the same id, and completed rows are not
 * repeated.
 *
 * Bounds of the history: a page adds about ten events, rows add none. A plan has at most `MAX_PAGES` pages. It never
 * continues as new.
 */
export async function uploadBatch(input: BatchInput): Promise<BatchResult> {
  const batch = new BatchRun(input);
  try {
    await batch.plan();
    await batch.upload();
  } catch (error) {
    throw isCancellation(error) ? await cancelled(batch) : applicationFailureOf(errorOfFailure(error));
  }
  return CancellationScope.nonCancellable(() => batch.close());
}

// A batch may run for weeks. With worker versioning, it continues with the current build, while each page and upload
// ends on its own build. A server without versioning refuses the option.
setWorkflowOptions(
  () =>
    (workflowInfo().currentDeploymentVersion?.deploymentName ?? '') === ''
      ? {}
      : { versioningBehavior: 'AUTO_UPGRADE' },
  uploadBatch,
);

/** Ends the pages first, then writes the results. */
async function cancelled(batch: BatchRun): Promise<Error> {
  const message = await CancellationScope.nonCancellable(async () => {
    if (!batch.isPlanned) return 'the batch was cancelled before anything was uploaded';
    await batch.stop();
    const { counts, results } = await batch.close();
    return (
      `the batch was cancelled: ${String(counts.completed)} of ${String(counts.rows)} rows are completed, ${String(counts.failed)} failed, ` +
      `${String(counts.cancelled)} cancelled or never begun; the results are in ${results.jsonl}`
    );
  });
  const hint = 'Start the batch again to continue: completed rows are not repeated.';
  upsertMemo({ cancelled: { message, hint } } satisfies BatchMemo);
  return new CancelledFailure(message);
}

/** A batch's root: which pages run, how they ended, and when the batch pauses. */
class BatchRun {
  readonly #steps: ReturnType<typeof batchSteps>;
  readonly #pages: PageWorkflows;
  readonly #startedAt = Date.now();
  readonly #counts = new RunCounts();
  /** A page ended without a result. */
  #failure: { readonly error: unknown } | undefined;
  #plan: BatchPlan | undefined;
  #open = new OpenPages({ pages: 0 });
  #phase: BatchPhase = 'planning';
  /** A new object for each pause and resume. */
  #control: PageControl = { paused: false, resumes: 0 };
  /** Until then, the batch has one page, so that a common mistake spoils few rows, however many workers there are. */
  #isProven = false;
  #pausedBecause: string | undefined;
  /** The last control that was sent to each open page. */
  readonly #sent = new Map<number, PageControl>();
  #changes = 0;

  constructor(private readonly input: BatchInput) {
    this.#steps = batchSteps(input);
    this.#pages = new PageWorkflows(input, () => this.#known().round);
    setHandler(batchProgressQuery, () => this.#progress());
    setHandler(pageReportSignal, (report) => this.#reported(report));
    setHandler(pauseSignal, () => this.#pause(undefined));
    setHandler(resumeSignal, () => this.#resume());
  }

  /** Makes pages from the manifest. */
  async plan(): Promise<void> {
    const { manifest, options, again = false } = this.input;
    const startedBy = workflowInfo().firstExecutionRunId;
    this.#plan = await this.#steps.planBatch({ ...this.#batch, manifest, startedBy, again });
    this.#open = new OpenPages({ ...options, pages: this.#plan.pages });
    this.#counts.skipped(this.#plan.skipped ?? 0);
    upsertMemo({ planned: true } satisfies BatchMemo);
    this.#phase = 'uploading';
    this.#changed();
  }

  /** Runs pages until all have ended. */
  async upload(): Promise<void> {
    for (;;) {
      if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('cancelled');
      const seen = this.#changes;
      await this.#passOnPause();
      if (this.#failure !== undefined) throw this.#failure.error;
      if (this.#open.done) return;
      const mayOpen = !this.#control.paused && (this.#isProven || this.#open.open.length === 0);
      const next = mayOpen ? this.#open.take() : undefined;
      if (next !== undefined) await this.#start(next);
      else await condition(() => this.#changes !== seen);
    }
  }

  /** Cancels the running pages and waits until they have ended properly. */
  async stop(): Promise<void> {
    await Promise.all(this.#open.open.map((page) => this.#pages.cancel(page)));
    await condition(() => this.#open.open.length === 0);
  }

  get isPlanned(): boolean {
    return this.#plan !== undefined;
  }

  /** Writes the results. */
  async close(): Promise<BatchResult> {
    this.#phase = 'closing';
    const { pages, round, skipped } = this.#known();
    const endedAt = new Date().toISOString();
    const written = await this.#steps.writeResults({ ...this.#batch, pages, round, skipped, endedAt });
    this.#phase = 'ended';
    this.#counts.closed(written.counts);
    upsertMemo({ counts: written.counts } satisfies BatchMemo);
    return { batchId: this.#batch.batchId, round, ...written };
  }

  async #start({ page, slots }: { readonly page: number; readonly slots: number }): Promise<void> {
    this.#sent.set(page, this.#control);
    const child = await this.#pages.start({ ...this.#control, page, slots, proves: !this.#isProven });
    void this.#watch(page, this.#pages.endOf(page, child));
    this.#changed();
  }

  async #watch(page: number, end: Promise<PageCounts>): Promise<void> {
    try {
      const result = await end;
      this.#counts.pageEnded(page, result);
      this.#isProven ||= result.counts.completed > 0;
    } catch (error) {
      this.#failure ??= { error };
    }
    this.#open.ended(page);
    this.#changed();
  }

  #reported(report: PageReport): void {
    const { page, proven = false } = report;
    if (!this.#open.open.includes(page)) return;
    this.#isProven ||= proven;
    this.#counts.reported(report);
    this.#changed();
  }

  /** If no row is left to begin, a pause would only delay running uploads. */
  #changed(): void {
    this.#changes += 1;
    const because = this.#counts.reasonToPause(this.input.options);
    const { waiting } = this.#counts.counts(this.#known().rows);
    if (because !== undefined && !this.#control.paused && waiting > 0) this.#pause(because);
  }

  #pause(because: string | undefined): void {
    this.#control = { ...this.#control, paused: true };
    this.#pausedBecause = because;
    if (because !== undefined) metrics.add('batchPauses', { account: this.input.account.accountId });
    this.#changes += 1;
  }

  /** Past failures no longer count: the limits count from here. */
  #resume(): void {
    const { paused, resumes } = this.#control;
    if (paused) this.#control = { paused: false, resumes: resumes + 1 };
    this.#pausedBecause = undefined;
    this.#counts.forgive(this.#control.resumes);
    this.#changes += 1;
  }

  async #passOnPause(): Promise<void> {
    for (;;) {
      const control = this.#control;
      const late = this.#open.open.filter((page) => this.#sent.get(page) !== control);
      if (late.length === 0) return;
      for (const page of late) this.#sent.set(page, control);
      await Promise.all(late.map((page) => this.#pages.control(page, control)));
    }
  }

  /** What every step gets. */
  get #batch(): ForAccount<Pick<BatchInput, 'batchId' | 'folder' | 'options'>> {
    const { account, batchId, folder, options } = this.input;
    return { accountId: account.accountId, batchId, folder, options };
  }

  #known(): BatchPlan {
    if (this.#plan === undefined) throw new Error('The batch is planned before its pages run.');
    return this.#plan;
  }

  #progress(): BatchProgress {
    const { batchId } = this.input;
    const { rows = 0, pages = 0, round = 0 } = this.#plan ?? {};
    return {
      phase: this.#phase === 'uploading' && this.#control.paused ? 'paused' : this.#phase,
      batchId,
      round,
      counts: this.#counts.counts(rows),
      ended: this.#counts.ended,
      pages,
      pagesDone: this.#counts.pagesDone,
      pagesRunning: this.#open.open.map((page) => this.#pages.idOf(page)),
      ...(this.#pausedBecause === undefined ? {} : { pausedBecause: this.#pausedBecause }),
      startedAt: this.#startedAt,
    };
  }
}
