import {
  condition,
  CancellationScope,
  CancelledFailure,
  defineQuery,
  defineSignal,
  setCurrentDetails,
  setHandler,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import type { AwaitedPage } from '../../activities/batch/await-page';
import { PAUSE_SIGNAL, RESUME_SIGNAL, type ForAccount } from '../../contract/upload';
import { BATCH_PROGRESS_QUERY, DEFAULT_BATCH_OPTIONS, PAGE_REPORT_SIGNAL } from '../../contract/batch';
import type {
  BatchInput,
  BatchMemo,
  BatchPhase,
  BatchPlan,
  BatchProgress,
  BatchResult,
  CarriedBatch,
  PageReport,
  PageResult,
} from '../../contract/batch';
import { shortRunId } from '../../contract/batch-ids';
import { pauseSignal, resumeSignal } from '../pause-signals';
import { batchDetails } from './batch-details';
import { batchSteps } from './batch-steps';
import { RunCounts } from './run-counts';
import { PageSlots, type NextPage } from './page-slots';
import { PageWorkflows } from './page-workflows';
import { reportBatchRows } from '../telemetry/fleet-sinks';

const batchProgressQuery = defineQuery<BatchProgress>(BATCH_PROGRESS_QUERY);
const pageReportSignal = defineSignal<[PageReport]>(PAGE_REPORT_SIGNAL);

/** A page that is lost this often is given up, and its rows end as failed. */
const MAX_LOSSES = 3;

/** One run of a batch's root: which pages run, how they ended, and when the batch pauses. */
export class BatchRun {
  readonly #input: BatchInput;
  readonly #steps: ReturnType<typeof batchSteps>;
  readonly #pages: PageWorkflows;
  readonly #startedAt: number;
  readonly #counts: RunCounts;
  readonly #losses: Map<number, number>;
  #plan: BatchPlan | undefined;
  #slots: PageSlots;
  #phase: BatchPhase = 'planning';
  #paused: boolean;
  /** The last state that was sent to running pages. */
  #pausedThere: boolean;
  #pausedBecause: string | undefined;
  #startedHere = 0;
  #changes = 0;
  #stopping = false;

  constructor(input: BatchInput) {
    const { carried } = input;
    this.#input = input;
    this.#steps = batchSteps(input);
    this.#pages = new PageWorkflows(input, this.#steps, () => this.#known().round);
    this.#startedAt = carried?.startedAt ?? Date.now();
    this.#counts = new RunCounts(carried);
    this.#plan = carried?.plan;
    const { pages = 0 } = this.#plan ?? {};
    // Created in the constructor, because a page can report before anything else happens.
    this.#slots = new PageSlots({ ...DEFAULT_BATCH_OPTIONS, ...input.options, pages, state: carried?.slots });
    this.#losses = new Map(carried?.losses.map(({ page, times }) => [page, times]));
    this.#paused = carried?.paused ?? false;
    this.#pausedThere = this.#paused;
    this.#pausedBecause = carried?.pausedBecause;
    setHandler(batchProgressQuery, () => this.#progress());
    setHandler(pageReportSignal, (report) => this.#reported(report));
    setHandler(pauseSignal, () => this.#pause(undefined));
    setHandler(resumeSignal, () => this.#resume());
  }

  /** Makes pages from the manifest, or continues with the pages of an earlier run. */
  async plan(): Promise<void> {
    if (this.#plan === undefined) {
      const { manifest, options, again = false } = this.#input;
      const startedBy = workflowInfo().firstExecutionRunId;
      this.#plan = await this.#steps.planBatch({ ...this.#batch, manifest, startedBy, again });
      this.#slots = new PageSlots({ ...DEFAULT_BATCH_OPTIONS, ...options, pages: this.#plan.pages });
      upsertMemo({ planned: true } satisfies BatchMemo);
    }
    for (const page of this.#slots.openPages) void this.#watch(page, this.#pages.adopt(page));
    this.#phase = 'uploading';
    this.#changed();
  }

  /** Runs pages until all have ended. If this run should continue as new, resolves with what the next run needs. */
  async upload(): Promise<CarriedBatch | undefined> {
    for (;;) {
      if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('cancelled');
      const seen = this.#changes;
      await this.#passOnPause();
      if (this.#slots.done) return undefined;
      if (this.#isLong()) return this.#carried();
      const step = this.#paused ? undefined : this.#slots.take();
      if (step !== undefined) await this.#take(step);
      else await condition(() => this.#changes !== seen);
    }
  }

  /** Cancels the running pages and waits until they have ended properly. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#slots.openPages.map((page) => this.#pages.cancel(page)));
    await condition(() => this.#slots.openPages.length === 0);
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

  async #take({ kind, page, slots }: NextPage): Promise<void> {
    if (kind === 'grow') return this.#pages.grow(page, slots);
    const paused = this.#paused;
    const losses = this.#lossesOf(page);
    const { ended } = await this.#pages.start({ page, slots, paused, losses });
    this.#startedHere += 1;
    // If a pause came in between, it is sent to all pages. A second pause changes nothing.
    if (paused !== this.#paused) this.#pausedThere = paused;
    void this.#watch(page, ended);
    this.#changed();
  }

  async #watch(page: number, ended: Promise<AwaitedPage>): Promise<void> {
    const end = await ended;
    if ('result' in end) this.#settle(end.result);
    else await this.#lost(page, end.lost);
  }

  #settle(result: PageResult): void {
    this.#losses.delete(result.page);
    this.#slots.ended(result.page);
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
      this.#slots.lost(page);
      this.#changed();
      return;
    }
    this.#slots.allStarted(page, 0);
    const result = await CancellationScope.nonCancellable(() =>
      this.#steps.giveUpPage({
        ...this.#batch,
        page,
        round: this.#known().round,
        writer: shortRunId(workflowInfo().runId),
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
    const { pauseBecause, ...state } = report;
    if (state.losses !== this.#lossesOf(state.page)) return;
    this.#counts.reported(state);
    if (state.allStarted) this.#slots.allStarted(state.page, state.counts.running);
    // If no row is left to begin, a pause would only delay running uploads.
    if (pauseBecause !== undefined && !this.#paused && this.#slots.hasMoreToBegin) this.#pause(pauseBecause);
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
    this.#changes += 1;
    this.#show();
  }

  /** Past failures no longer count: the limits count from here. */
  #resume(): void {
    this.#paused = false;
    this.#pausedBecause = undefined;
    this.#counts.forgive();
    this.#changes += 1;
    this.#show();
  }

  async #passOnPause(): Promise<void> {
    while (this.#pausedThere !== this.#paused) {
      const paused = this.#paused;
      const signal = paused ? PAUSE_SIGNAL : RESUME_SIGNAL;
      await Promise.all(this.#slots.openPages.map((page) => this.#pages.control(page, signal)));
      this.#pausedThere = paused;
    }
  }

  #isLong(): boolean {
    const { continueAsNewSuggested } = workflowInfo();
    const { pagesPerRun = Infinity } = this.#input.options;
    const isClosing = [...this.#losses.values()].some((times) => times >= MAX_LOSSES);
    return !isClosing && (continueAsNewSuggested || this.#startedHere >= pagesPerRun);
  }

  #carried(): CarriedBatch {
    return {
      plan: this.#known(),
      startedAt: this.#startedAt,
      slots: this.#slots.state,
      ...this.#counts.state,
      losses: [...this.#losses].map(([page, times]) => ({ page, times })),
      paused: this.#paused,
      ...(this.#pausedBecause === undefined ? {} : { pausedBecause: this.#pausedBecause }),
    };
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
      pagesRunning: this.#slots.openPages.map((page) => this.#pages.idOf(page)),
      ...(this.#pausedBecause === undefined ? {} : { pausedBecause: this.#pausedBecause }),
      startedAt: this.#startedAt,
    };
  }

  #show(): void {
    const progress = this.#progress();
    const { account, batchId } = this.#input;
    setCurrentDetails(batchDetails(progress));
    reportBatchRows({ accountId: account.accountId, batchId, counts: progress.counts });
  }
}
