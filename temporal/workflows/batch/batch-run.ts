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
import { PAUSE_SIGNAL, RESUME_SIGNAL } from '../../contract';
import { BATCH_PROGRESS_QUERY, DEFAULT_BATCH_OPTIONS, PAGE_REPORT_SIGNAL } from '../../contract/batch';
import { shortRunId } from '../../contract/batch-ids';
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
import { batchDetails } from './batch-details';
import { batchSteps } from './batch-steps';
import { BatchTally } from './batch-tally';
import { BatchWindow } from './batch-window';
import type { WindowStep } from './batch-window';
import { OpenPages } from './open-pages';
import { reportBatchRows } from '../telemetry/fleet-sinks';

const batchProgressQuery = defineQuery<BatchProgress>(BATCH_PROGRESS_QUERY);
const pageReportSignal = defineSignal<[PageReport]>(PAGE_REPORT_SIGNAL);
const pauseSignal = defineSignal(PAUSE_SIGNAL);
const resumeSignal = defineSignal(RESUME_SIGNAL);

/** A page that is lost so often is given up: its rows are accounted for as failed. */
const MOST_LOSSES = 3;

/** One run of a batch's root: which pages run, how they ended, and when the batch pauses. */
export class BatchRun {
  readonly #input: BatchInput;
  readonly #steps: ReturnType<typeof batchSteps>;
  readonly #pages: OpenPages;
  readonly #startedAt: number;
  readonly #tally: BatchTally;
  readonly #losses: Map<number, number>;
  readonly #size: number;
  #plan: BatchPlan | undefined;
  #window: BatchWindow;
  #phase: BatchPhase = 'planning';
  #paused: boolean;
  /** What running pages were told last. */
  #pausedThere: boolean;
  #pausedBecause: string | undefined;
  #startedHere = 0;
  #changes = 0;
  #stopping = false;

  constructor(input: BatchInput) {
    const { carried } = input;
    this.#input = input;
    this.#steps = batchSteps(input);
    this.#pages = new OpenPages(input, this.#steps);
    this.#startedAt = carried?.startedAt ?? Date.now();
    this.#tally = new BatchTally(carried);
    this.#plan = carried?.plan;
    this.#size = input.options.window ?? DEFAULT_BATCH_OPTIONS.window;
    const { pages = 0 } = this.#plan ?? {};
    // From the first task on: a page can report before anything else happens.
    this.#window = new BatchWindow({ size: this.#size, pages, state: carried?.window });
    this.#losses = new Map(carried?.losses.map(({ page, times }) => [page, times]));
    this.#paused = carried?.paused ?? false;
    this.#pausedThere = this.#paused;
    this.#pausedBecause = carried?.pausedBecause;
    setHandler(batchProgressQuery, () => this.#progress());
    setHandler(pageReportSignal, (report) => this.#reported(report));
    setHandler(pauseSignal, () => this.#pause(undefined));
    setHandler(resumeSignal, () => this.#resume());
  }

  /** Makes pages of the manifest, or goes on with those that an earlier run made. */
  async plan(): Promise<void> {
    if (this.#plan === undefined) {
      const { account, batchId, manifest, folder, options, again = false } = this.#input;
      const startedBy = workflowInfo().firstExecutionRunId;
      const planning = { batchId, manifest, folder, options, startedBy, again };
      this.#plan = await this.#steps.planBatch({ accountId: account.accountId, ...planning });
      this.#window = new BatchWindow({ size: this.#size, pages: this.#plan.pages });
      upsertMemo({ planned: true } satisfies BatchMemo);
    }
    const { round } = this.#plan;
    for (const page of this.#window.openPages) void this.#watch(page, this.#pages.adopt(round, page));
    this.#phase = 'uploading';
    this.#changed();
  }

  /** Runs pages until all have ended, or until this run should hand over to the next one: then it resolves with what that one needs. */
  async upload(): Promise<CarriedBatch | undefined> {
    for (;;) {
      if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('cancelled');
      const seen = this.#changes;
      await this.#tellPaused();
      if (this.#window.done) return undefined;
      if (this.#isLong()) return this.#carried();
      const step = this.#paused ? undefined : this.#window.take();
      if (step !== undefined) await this.#take(step);
      else await condition(() => this.#changes !== seen);
    }
  }

  /** Cancels the pages that run and waits until they have ended in order. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const { round } = this.#known();
    await Promise.all(this.#window.openPages.map((page) => this.#pages.cancel(round, page)));
    await condition(() => this.#window.openPages.length === 0);
  }

  get isPlanned(): boolean {
    return this.#plan !== undefined;
  }

  /** Writes the account. */
  async close(): Promise<BatchResult> {
    this.#phase = 'closing';
    this.#show();
    const { account, batchId, folder, options } = this.#input;
    const { pages, round } = this.#known();
    const written = await this.#steps.writeAccount({
      accountId: account.accountId,
      batchId,
      folder,
      options,
      pages,
      round,
      endedAt: new Date().toISOString(),
    });
    this.#phase = 'ended';
    this.#tally.closed(written.counts);
    this.#show();
    upsertMemo({ counts: written.counts } satisfies BatchMemo);
    return { batchId, round, ...written };
  }

  async #take({ kind, page, slots }: WindowStep): Promise<void> {
    const { round } = this.#known();
    if (kind === 'grow') return this.#pages.grow(round, page, slots);
    const paused = this.#paused;
    const losses = this.#lossesOf(page);
    const { ended } = await this.#pages.start({ page, round, slots, paused, losses });
    this.#startedHere += 1;
    // A pause that came in between is told to all, and harms none that knows it.
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
    this.#window.ended(result.page);
    this.#tally.pageEnded(result);
    this.#changed();
  }

  /** It is started again, since its rows know what they are; a page that never survives is accounted for without it. */
  async #lost(page: number, reason: string): Promise<void> {
    const times = this.#lossesOf(page) + 1;
    this.#losses.set(page, times);
    this.#tally.forget(page);
    if (times < MOST_LOSSES || this.#stopping) {
      this.#window.lost(page);
      this.#changed();
      return;
    }
    this.#window.allBegun(page, 0);
    const { account, batchId, folder, options } = this.#input;
    const result = await CancellationScope.nonCancellable(() =>
      this.#steps.giveUpPage({
        accountId: account.accountId,
        batchId,
        folder,
        options,
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

  /** A report can arrive after its page was lost: the page that runs now knows better. */
  #reported(report: PageReport): void {
    const { pauseBecause, ...told } = report;
    if (told.losses !== this.#lossesOf(told.page)) return;
    this.#tally.reported(told);
    if (told.allBegun) this.#window.allBegun(told.page, told.counts.running);
    // Where nothing is left to begin, a pause would only hold what still runs.
    if (pauseBecause !== undefined && !this.#paused && this.#window.hasMoreToBegin) this.#pause(pauseBecause);
    this.#changed();
  }

  #changed(): void {
    this.#changes += 1;
    const reason = this.#paused ? undefined : this.#tally.reasonToPause(this.#input.options);
    if (reason !== undefined) this.#pause(reason);
    this.#show();
  }

  #pause(because: string | undefined): void {
    this.#paused = true;
    this.#pausedBecause = because;
    this.#changes += 1;
    this.#show();
  }

  /** What has failed is forgiven: the limits count from here. */
  #resume(): void {
    this.#paused = false;
    this.#pausedBecause = undefined;
    this.#tally.forgive();
    this.#changes += 1;
    this.#show();
  }

  async #tellPaused(): Promise<void> {
    while (this.#pausedThere !== this.#paused) {
      const paused = this.#paused;
      const { round } = this.#known();
      const signal = paused ? PAUSE_SIGNAL : RESUME_SIGNAL;
      await Promise.all(this.#window.openPages.map((page) => this.#pages.control(round, page, signal)));
      this.#pausedThere = paused;
    }
  }

  #isLong(): boolean {
    const { continueAsNewSuggested } = workflowInfo();
    const { pagesPerRun = Infinity } = this.#input.options;
    const isClosing = [...this.#losses.values()].some((times) => times >= MOST_LOSSES);
    return !isClosing && (continueAsNewSuggested || this.#startedHere >= pagesPerRun);
  }

  #carried(): CarriedBatch {
    return {
      plan: this.#known(),
      startedAt: this.#startedAt,
      window: this.#window.state,
      ...this.#tally.state,
      losses: [...this.#losses].map(([page, times]) => ({ page, times })),
      paused: this.#paused,
      ...(this.#pausedBecause === undefined ? {} : { pausedBecause: this.#pausedBecause }),
    };
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
      counts: this.#tally.counts(rows),
      ended: this.#tally.ended,
      pages,
      pagesDone: this.#tally.pagesDone,
      pagesRunning: this.#window.openPages.map((page) => this.#pages.idOf(round, page)),
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
