import {
  CancellationScope,
  CancelledFailure,
  condition,
  defineQuery,
  defineSignal,
  setCurrentDetails,
  setHandler,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import type { ForAccount } from '../../upload/types';
import { BATCH_PROGRESS_QUERY, PAGE_REPORT_SIGNAL } from '../types';
import type {
  BatchInput,
  BatchMemo,
  BatchPhase,
  BatchPlan,
  BatchProgress,
  BatchResult,
  PageReport,
  PageResult,
} from '../types';
import { pauseSignal, resumeSignal } from '../../workflow/shared';
import { batchSteps } from './batch-steps';
import { batchDetails, RunCounts } from './run-counts';
import { OpenPages, PageWorkflows } from './page-workflows';
import type { EndedPage } from './page-workflows';
import { metrics } from '../../telemetry/workflow';

const batchProgressQuery = defineQuery<BatchProgress>(BATCH_PROGRESS_QUERY);
const pageReportSignal = defineSignal<[PageReport]>(PAGE_REPORT_SIGNAL);

/** A page that is lost this often is given up, and its rows end as failed. */
const MAX_LOSSES = 3;

/** A batch's root: which pages run, how they ended, and when the batch pauses. */
export class BatchRun {
  readonly #input: BatchInput;
  readonly #steps: ReturnType<typeof batchSteps>;
  readonly #pages: PageWorkflows;
  readonly #startedAt = Date.now();
  readonly #counts = new RunCounts();
  readonly #losses = new Map<number, number>();
  #plan: BatchPlan | undefined;
  #open = new OpenPages({ pages: 0 });
  #phase: BatchPhase = 'planning';
  #paused = false;
  #pausedBecause: string | undefined;
  /** How often the batch was resumed. */
  #resumes = 0;
  /** The last state that was sent to running pages. */
  #sent = { paused: false, resumes: 0 };
  #changes = 0;
  #stopping = false;

  constructor(input: BatchInput) {
    this.#input = input;
    this.#steps = batchSteps(input);
    this.#pages = new PageWorkflows(input, () => this.#known().round);
    setHandler(batchProgressQuery, () => this.#progress());
    setHandler(pageReportSignal, (report) => this.#reported(report));
    setHandler(pauseSignal, () => this.#pause(undefined));
    setHandler(resumeSignal, () => this.#resume());
  }

  /** Makes pages from the manifest. */
  async plan(): Promise<void> {
    const { manifest, options, again = false } = this.#input;
    const startedBy = workflowInfo().firstExecutionRunId;
    this.#plan = await this.#steps.planBatch({ ...this.#batch, manifest, startedBy, again });
    this.#open = new OpenPages({ ...options, pages: this.#plan.pages });
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
      if (this.#open.done) return;
      const next = this.#paused ? undefined : this.#open.take();
      if (next !== undefined) await this.#start(next);
      else await condition(() => this.#changes !== seen);
    }
  }

  /** Cancels the running pages and waits until they have ended properly. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#open.open.map((page) => this.#pages.cancel(page)));
    await condition(() => this.#open.open.length === 0);
  }

  get isPlanned(): boolean {
    return this.#plan !== undefined;
  }

  /** Writes the results. */
  async close(): Promise<BatchResult> {
    this.#phase = 'closing';
    this.#show();
    const { pages, round } = this.#known();
    const endedAt = new Date().toISOString();
    const written = await this.#steps.writeResults({ ...this.#batch, pages, round, endedAt });
    this.#phase = 'ended';
    this.#counts.closed(written.counts);
    this.#show();
    upsertMemo({ counts: written.counts } satisfies BatchMemo);
    return { batchId: this.#batch.batchId, round, ...written };
  }

  async #start({ page, slots }: { readonly page: number; readonly slots: number }): Promise<void> {
    const paused = this.#paused;
    const losses = this.#lossesOf(page);
    const { ended } = await this.#pages.start({ page, slots, paused, resumes: this.#resumes, losses });
    // If a pause came in between, it is sent to all pages. A second pause changes nothing.
    if (paused !== this.#paused) this.#sent = { ...this.#sent, paused };
    void this.#watch(page, ended);
    this.#changed();
  }

  async #watch(page: number, ended: Promise<EndedPage>): Promise<void> {
    const end = await ended;
    if ('result' in end) this.#settle(end.result);
    else await this.#lost(page, end.lost);
  }

  #settle(result: PageResult): void {
    this.#losses.delete(result.page);
    this.#open.ended(result.page);
    this.#counts.pageEnded(result);
    this.#changed();
  }

  /**
   * Starts the page again, because the journal knows the state of its rows. A page that is lost too often is given up.
   */
  async #lost(page: number, reason: string): Promise<void> {
    const times = this.#lossesOf(page) + 1;
    this.#losses.set(page, times);
    this.#counts.forget(page);
    if (times < MAX_LOSSES || this.#stopping) {
      this.#open.lost(page);
      this.#changed();
      return;
    }
    const result = await CancellationScope.nonCancellable(() =>
      this.#steps.giveUpPage({
        ...this.#batch,
        page,
        round: this.#known().round,
        losses: times,
        reason: `The workflow of the row's page was lost ${String(times)} times: ${reason}.`,
        endedAt: new Date().toISOString(),
      }),
    );
    this.#settle(result);
  }

  #lossesOf(page: number): number {
    return this.#losses.get(page) ?? 0;
  }

  /** A report can arrive after its page was lost. Then the current run of the page knows better. */
  #reported(report: PageReport): void {
    const { pauseBecause, page, losses, resumes } = report;
    if (losses !== this.#lossesOf(page) || !this.#open.open.includes(page)) return;
    this.#counts.reported(report);
    const { waiting } = this.#counts.counts(this.#known().rows);
    // If no row is left to begin, a pause would only delay running uploads. A late reason would undo a resume.
    if (pauseBecause !== undefined && !this.#paused && waiting > 0 && resumes === this.#resumes)
      this.#pause(pauseBecause);
    this.#changed();
  }

  #changed(): void {
    this.#changes += 1;
    const reason = this.#paused ? undefined : this.#counts.reasonToPause(this.#input.options);
    if (reason !== undefined) this.#pause(reason);
    this.#show();
  }

  #pause(because: string | undefined): void {
    this.#paused = true;
    this.#pausedBecause = because;
    if (because !== undefined) metrics.add('batchPauses', { account: this.#input.account.accountId });
    this.#changes += 1;
    this.#show();
  }

  /** Past failures no longer count: the limits count from here. */
  #resume(): void {
    this.#paused = false;
    this.#pausedBecause = undefined;
    this.#resumes += 1;
    this.#counts.forgive();
    this.#changes += 1;
    this.#show();
  }

  async #passOnPause(): Promise<void> {
    while (this.#sent.paused !== this.#paused || this.#sent.resumes !== this.#resumes) {
      const now = { paused: this.#paused, resumes: this.#resumes };
      const send = (page: number): Promise<void> =>
        now.paused ? this.#pages.pause(page) : this.#pages.resume(page, now.resumes);
      await Promise.all(this.#open.open.map(send));
      this.#sent = now;
    }
  }

  /** What every step gets. */
  get #batch(): ForAccount<Pick<BatchInput, 'batchId' | 'folder' | 'options'>> {
    const { account, batchId, folder, options } = this.#input;
    return { accountId: account.accountId, batchId, folder, options };
  }

  #known(): BatchPlan {
    if (this.#plan === undefined) throw new Error('The batch is planned before its pages run.');
    return this.#plan;
  }

  #progress(): BatchProgress {
    const { batchId } = this.#input;
    const { rows = 0, pages = 0, round = 0 } = this.#plan ?? {};
    return {
      phase: this.#phase === 'uploading' && this.#paused ? 'paused' : this.#phase,
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

  #show(): void {
    setCurrentDetails(batchDetails(this.#progress()));
  }
}
