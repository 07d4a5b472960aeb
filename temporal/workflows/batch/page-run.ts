import { condition, defineQuery, defineSignal, setCurrentDetails, setHandler } from '@temporalio/workflow';
import type { LoadedPage } from '../../activities/batch/load-page';
import type { LoadedRow, SharedInput } from '../../batch/loaded-row';
import { PAUSE_SIGNAL, RESUME_SIGNAL, type WorkflowProgress } from '../../contract/upload';
import {
  DEFAULT_BATCH_OPTIONS,
  PAGE_PROGRESS_QUERY,
  PAGE_SLOTS_SIGNAL,
  ROW_PROGRESS_QUERY,
} from '../../contract/batch';
import type { BatchCounts, PageInput, PageProgress, PageReport, PageResult } from '../../contract/batch';
import { NO_ROWS, withEnded, withWaiting } from '../../contract/batch-counts';
import { rowWorkflowId } from '../../contract/batch-ids';
import { EARLY_OUTCOMES_SIGNAL, type EarlyOutcomes } from '../../contract/groups';
import { completedLine, failedLine } from './result-line';
import { pauseSignal, resumeSignal } from '../pause-signals';
import { countsDetails } from './batch-details';
import { batchSteps } from './batch-steps';
import { whenToReport } from './page-slots';
import { JournalWriter } from './journal-writer';
import { sendTo } from './send-to';
import { ParentLink } from './parent-link';
import type { RowEnd } from './row-workflow';
import { PageUploads } from './page-uploads';
import { SameFailures } from './same-failures';

const pageProgressQuery = defineQuery<PageProgress>(PAGE_PROGRESS_QUERY);
const rowProgressQuery = defineQuery<WorkflowProgress | null, [string]>(ROW_PROGRESS_QUERY);
const pageSlotsSignal = defineSignal<[number]>(PAGE_SLOTS_SIGNAL);
const earlyOutcomesSignal = defineSignal<[EarlyOutcomes]>(EARLY_OUTCOMES_SIGNAL);

const CANNOT_BE_UPLOADED = { code: 'Internal', message: "The row can't be uploaded.", facts: {} } as const;

/** One run of a page: which of its rows run, how they ended, and what it reports to its root. */
export class PageRun {
  readonly #input: PageInput;
  readonly #steps: ReturnType<typeof batchSteps>;
  readonly #journal: JournalWriter;
  readonly #parent: ParentLink;
  /** Workflow ids of uploads with their own workflow. */
  readonly #ownWorkflows = new Set<string>();
  #uploads: PageUploads | undefined;
  #counts: BatchCounts = NO_ROWS;
  #failures = 0;
  readonly #sameFailures: SameFailures;
  #pauseBecause: string | undefined;
  #slots: number;
  #paused: boolean;
  #resumes = 0;
  #allStarted = false;
  /** Uploads that ran at the last report after all rows had begun. */
  #reported = Infinity;

  constructor(input: PageInput) {
    this.#input = input;
    this.#steps = batchSteps(input);
    this.#journal = new JournalWriter(input, this.#steps);
    this.#parent = new ParentLink(() => this.#report());
    this.#sameFailures = new SameFailures(input.options);
    this.#slots = input.slots;
    this.#paused = input.paused;
    setHandler(pageProgressQuery, () => this.#progress());
    setHandler(rowProgressQuery, (rowId) => this.#uploads?.progressOf(rowId) ?? null);
    setHandler(pageSlotsSignal, (slots) => {
      this.#slots = slots;
    });
    setHandler(earlyOutcomesSignal, (outcomes) => this.#uploads?.early(outcomes));
    setHandler(pauseSignal, () => this.#control(true));
    setHandler(resumeSignal, () => this.#control(false));
  }

  /**
   * Begins each row when there is a slot for it. Resolves when all rows have ended. Rejects when the page is
   * cancelled; its rows may then still be ending.
   */
  async upload(): Promise<void> {
    const loaded = await this.#load();
    this.#counts = loaded.counts;
    this.#show();
    await this.#beginAll(loaded);
    this.#allStarted = true;
    this.#reportTail();
    await condition(() => this.#counts.running === 0);
  }

  /** Waits until running rows have ended and the page journal is written. */
  async close(): Promise<PageResult> {
    await condition(() => this.#counts.running === 0);
    await this.#journal.close();
    await this.#parent.settled();
    const { waiting, cancelled } = this.#counts;
    const counts = { ...this.#counts, waiting: 0, cancelled: cancelled + waiting };
    return { page: this.#input.page, counts, failures: this.#failures };
  }

  #load(): Promise<LoadedPage> {
    const { account, queuePrefix, batchId, folder, options, page, round, retryFailed, losses } = this.#input;
    const { accountId } = account;
    const at = { accountId, queuePrefix, batchId, folder, options, page, round, retryFailed, losses };
    return this.#steps.loadPage(at);
  }

  /** Loads the page again after a pause, because a row may have been uploaded outside of the batch. */
  async #beginAll({ rows, shared }: LoadedPage): Promise<void> {
    const uploads = shared === undefined ? undefined : this.#uploadsOf(shared);
    this.#uploads = uploads;
    let loadedAfter = this.#resumes;
    let newest: ReadonlyMap<string, LoadedRow> = new Map();
    for (const [index, row] of rows.entries()) {
      if (uploads === undefined || row.upload === undefined) {
        this.#ended(row, { failure: row.error ?? CANNOT_BE_UPLOADED });
        continue;
      }
      if (!this.#mayBegin() && !this.#paused) uploads.prepare(rows.slice(index));
      await this.#freeSlot();
      while (loadedAfter !== this.#resumes) {
        loadedAfter = this.#resumes;
        newest = new Map((await this.#load()).rows.map((again) => [again.id, again]));
        await this.#freeSlot();
      }
      this.#counts = withWaiting({ ...this.#counts, running: this.#counts.running + 1 });
      void this.#run(newest.get(row.id) ?? row, uploads);
    }
  }

  #freeSlot(): Promise<void> {
    return condition(() => this.#mayBegin());
  }

  #mayBegin(): boolean {
    return !this.#paused && this.#counts.running < this.#slots;
  }

  #uploadsOf(shared: SharedInput): PageUploads {
    return new PageUploads({
      input: this.#input,
      shared,
      journal: this.#journal,
      steps: this.#steps,
      slots: () => this.#slots,
      isPaused: () => this.#paused,
      onOwnWorkflow: (row) => {
        const workflowId = this.#workflowIdOf(row);
        this.#ownWorkflows.add(workflowId);
        if (this.#paused) this.#signal(workflowId, PAUSE_SIGNAL);
      },
    });
  }

  async #run(row: LoadedRow, uploads: PageUploads): Promise<void> {
    const end = await uploads.upload(row);
    this.#ownWorkflows.delete(this.#workflowIdOf(row));
    this.#counts = { ...this.#counts, running: this.#counts.running - 1 };
    this.#ended(row, end);
  }

  #workflowIdOf({ id }: LoadedRow): string {
    const { account, batchId } = this.#input;
    return rowWorkflowId(account.accountId, batchId, id);
  }

  #progress(): PageProgress {
    const waiting = this.#uploads?.waiting();
    return {
      page: this.#input.page,
      counts: this.#counts,
      ...(waiting === undefined ? {} : { waiting }),
    };
  }

  #ended(row: LoadedRow, end: RowEnd): void {
    const ending = { row, round: this.#input.round, now: Date.now() };
    const line = 'result' in end ? completedLine(ending, end) : failedLine(ending, end);
    // A failed write fails the page when it closes.
    this.#journal.add(line).catch(() => undefined);
    this.#counts = withWaiting(withEnded(this.#counts, line, this.#input.round));
    this.#show();
    if (line.status === 'FAILED') {
      this.#failures += 1;
      const { maxFailures, maxFailureRate } = this.#input.options;
      if (maxFailures !== undefined || maxFailureRate !== undefined) this.#parent.send();
    }
    if ('result' in end) this.#sameFailures.completed();
    else if (line.status === 'FAILED') this.#pauseFor(this.#sameFailures.failed(end.failure));
    if (this.#allStarted) this.#reportTail();
  }

  #pauseFor(reason: string | undefined): void {
    if (reason === undefined) return;
    this.#pauseBecause = reason;
    this.#parent.send();
  }

  /** A reason to pause is in only one report, because a later one must not undo a resume. */
  #report(): PageReport {
    const because = this.#pauseBecause;
    this.#pauseBecause = undefined;
    if (this.#allStarted) this.#reported = this.#counts.running;
    return {
      page: this.#input.page,
      losses: this.#input.losses,
      allStarted: this.#allStarted,
      counts: this.#counts,
      failures: this.#failures,
      ...(because === undefined ? {} : { pauseBecause: because }),
    };
  }

  #reportTail(): void {
    const { running } = this.#counts;
    const { parallelUploads } = { ...DEFAULT_BATCH_OPTIONS, ...this.#input.options };
    const when = whenToReport(this.#reported, running, parallelUploads);
    if (when === 'now') this.#parent.send();
    if (when === 'later') void this.#parent.sendLater();
  }

  /** Sends all signals at once, so that a resume never overtakes a pause. */
  #control(paused: boolean): void {
    this.#paused = paused;
    if (!paused) {
      this.#resumes += 1;
      this.#sameFailures.forgive();
      this.#uploads?.resume();
    }
    for (const workflowId of this.#ownWorkflows)
      this.#signal(workflowId, paused ? PAUSE_SIGNAL : RESUME_SIGNAL);
    this.#show();
  }

  /** An upload that has ended needs no signal. */
  #signal(workflowId: string, name: string): void {
    void sendTo(workflowId, (handle) => handle.signal(name));
  }

  #show(): void {
    setCurrentDetails(countsDetails(this.#counts, this.#paused ? 'paused' : 'uploading'));
  }
}
