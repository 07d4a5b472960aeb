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
import { BATCH_PROGRESS_QUERY, DEFAULT_BATCH_OPTIONS, PAGE_REPORT_SIGNAL } from '../types';
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
import { SameFailures } from '../pause-reasons';
import { batchSteps } from './batch-steps';
import { batchDetails, RunCounts } from './run-counts';
import { OpenPages, PageWorkflows } from './page-workflows';
import type { EndedPage, PageState } from './page-workflows';
import { metrics } from '../../telemetry/workflow';

const batchProgressQuery = defineQuery<BatchProgress>(BATCH_PROGRESS_QUERY);
const pageReportSignal = defineSignal<[PageReport]>(PAGE_REPORT_SIGNAL);

/** Until a row is completed, the batch runs a single page. Without a failure in this time, the others begin as well, ms. */
const PROVEN_AFTER_MS = 5_000;
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
  /** The last state that was sent to each open page. */
  readonly #sent = new Map<number, PageState>();
  /** A row was completed since the start or the last resume, or none failed for a while. Until then, one page runs. */
  #proven = false;
  /** Rows of this round that were completed, when it was last looked. */
  #completed = 0;
  readonly #same: SameFailures;
  #changes = 0;
  #stopping = false;

  constructor(input: BatchInput) {
    this.#input = input;
    this.#steps = batchSteps(input);
    const { maxSameFailures } = { ...DEFAULT_BATCH_OPTIONS, ...input.options };
    this.#same = new SameFailures(maxSameFailures);
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
      if (this.#open.done) return;
      const mayOpen = !this.#paused && (this.#proven || this.#open.open.length === 0);
      const next = mayOpen ? this.#open.take() : undefined;
      if (next !== undefined) await this.#start(next);
      else await this.#change(seen);
    }
  }

  /** Resolves after the next change. Rows that are slow prove the batch as well, if none fails meanwhile. */
  async #change(seen: number): Promise<void> {
    const isChanged = (): boolean => this.#changes !== seen;
    const isHeld = !this.#paused && !this.#proven && this.#open.waiting + this.#open.open.length > 1;
    if (!isHeld) await condition(isChanged);
    else if (!(await condition(isChanged, PROVEN_AFTER_MS))) this.#proven = true;
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
    const { pages, round, skipped } = this.#known();
    const endedAt = new Date().toISOString();
    const written = await this.#steps.writeResults({ ...this.#batch, pages, round, skipped, endedAt });
    this.#phase = 'ended';
    this.#counts.closed(written.counts);
    this.#show();
    upsertMemo({ counts: written.counts } satisfies BatchMemo);
    return { batchId: this.#batch.batchId, round, ...written };
  }

  async #start({ page, slots }: { readonly page: number; readonly slots: number }): Promise<void> {
    const state = this.#stateOf(page);
    const losses = this.#lossesOf(page);
    this.#sent.set(page, state);
    const { ended } = await this.#pages.start({ page, slots, ...state, losses });
    void this.#watch(page, ended);
    this.#changed();
  }

  async #watch(page: number, ended: Promise<EndedPage>): Promise<void> {
    const end = await ended;
    if ('result' in end) this.#settle(end.result);
    else await this.#lost(page, end.lost);
  }

  #settle(result: PageResult): void {
    const { page, same } = result;
    this.#losses.delete(page);
    this.#open.ended(page);
    this.#counts.pageEnded(result);
    this.#noteCompleted();
    const because = same && this.#same.failed(same.failure, same.count);
    if (because !== undefined) this.#pauseItself(because);
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
    this.#noteCompleted();
    // A late reason would undo a resume.
    if (pauseBecause !== undefined && resumes === this.#resumes) this.#pauseItself(pauseBecause);
    this.#changed();
  }

  /** After a completed row, more may begin, and the failures so far had causes of their own. */
  #noteCompleted(): void {
    const { completed, earlier } = this.#counts.counts(0);
    if (completed - earlier <= this.#completed) return;
    this.#completed = completed - earlier;
    this.#proven = true;
    this.#same.completed();
  }

  /** If no row is left to begin, a pause would only delay running uploads. */
  #pauseItself(because: string): void {
    const { waiting } = this.#counts.counts(this.#known().rows);
    if (!this.#paused && waiting > 0) this.#pause(because);
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
    this.#proven = false;
    this.#same.completed();
    this.#counts.forgive();
    this.#changes += 1;
    this.#show();
  }

  #stateOf(page: number): PageState {
    const [first = page] = this.#open.open;
    const paused = this.#paused || (!this.#proven && page !== first);
    return { paused, resumes: this.#resumes, isFirst: !this.#proven };
  }

  async #passOnPause(): Promise<void> {
    for (;;) {
      const late = this.#open.open.filter((page) => {
        const [sent, now] = [this.#sent.get(page), this.#stateOf(page)];
        return sent?.paused !== now.paused || (!now.paused && sent.resumes !== now.resumes);
      });
      if (late.length === 0) return;
      await Promise.all(late.map((page) => this.#send(page, this.#stateOf(page))));
    }
  }

  #send(page: number, { paused, ...turn }: PageState): Promise<void> {
    this.#sent.set(page, { paused, ...turn });
    return paused ? this.#pages.pause(page) : this.#pages.resume(page, turn);
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
