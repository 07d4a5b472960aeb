import {
  CancellationScope,
  CancelledFailure,
  condition,
  defineSignal,
  isCancellation,
  setHandler,
  upsertMemo,
} from '@temporalio/workflow';
import { given } from '../../../api/json';
import { PAGE_REPORT_SIGNAL } from '../types';
import type { PageCounts, PageInput, PageMemo, PageReport, PageStep } from '../types';
import { sendTo } from '../../workflow/signals';
import type { OwnRow, UploadedPage } from '../activities/page-state';
import { NO_ROWS, withEnded, withWaiting } from '../counts';
import type { RowName } from '../files/result-line';
import { batchWorkflowId } from '../ids';
import { limitsFailures } from '../pause-reasons';
import { PAUSE_SIGNAL, RESUME_SIGNAL } from '../../upload/types';
import { batchSteps } from './batch-steps';
import { uploadInOwnWorkflow } from './row-workflow';

/**
 * Uploads the rows of one page and writes their results. If the page is cancelled, it ends its uploads, writes their
 * results, and its result counts them.
 *
 * Bounds of the history: an activity uploads all small rows of the page, and each further one follows a pause or many
 * large files. Each large file is a child. The inputs of large files take at most 512 KiB for each of these activities.
 */
export async function uploadBatchPage(input: PageInput): Promise<PageCounts> {
  const page = new PageRun(input);
  try {
    await page.upload();
  } catch (error) {
    if (!isCancellation(error)) throw error;
  }
  return CancellationScope.nonCancellable(() => page.close());
}

/** Number of small files that one large file replaces, because it occupies workers and its session much longer. */
const SMALL_FILES_PER_LARGE = 4;

const pausePage = defineSignal<[resumes: number]>(PAUSE_SIGNAL);
const resumePage = defineSignal<[resumes: number]>(RESUME_SIGNAL);

/** One run of a page: uploads its rows until all have ended, or until it is cancelled. */
class PageRun {
  readonly #steps: ReturnType<typeof batchSteps>;
  /** Rows with their own workflow that have not ended, by row id. True: the workflow has begun. */
  readonly #own = new Map<string, { readonly workflowId: string; begun: boolean }>();
  #known: PageCounts = { counts: NO_ROWS, failures: 0 };
  #paused: boolean;
  #resumes: number;
  #turn = 0;
  #uploading: CancellationScope | undefined;
  /** The service may process rows. */
  #mustPoll = false;

  constructor(private readonly input: PageInput) {
    this.#steps = batchSteps(input);
    this.#paused = input.paused;
    this.#resumes = input.resumes;
    setHandler(pausePage, (resumes) => this.#control(true, resumes));
    setHandler(resumePage, (resumes) => this.#control(false, resumes));
  }

  /** Resolves when all rows have ended. Rejects when the page is cancelled. Its large rows may then still be ending. */
  async upload(): Promise<void> {
    let hadOwn = false;
    for (;;) {
      await condition(() => !this.#paused || this.#mustPoll);
      const { own, processing, more } = await this.#uploadRows();
      hadOwn ||= own.length > 0;
      this.#mustPoll = processing;
      const large = this.#uploadLarge(own);
      if (!more && !processing) break;
      // A page with many large files has no room for more of them.
      if (more && !this.#paused) await large;
    }
    await condition(() => this.#own.size === 0);
    // Only the journal counts all rows.
    if (hadOwn) await this.#uploadRows(true);
  }

  /** Waits until large rows have ended. */
  async close(): Promise<PageCounts> {
    await condition(() => this.#own.size === 0);
    const { counts, failures } = this.#known;
    const { waiting, running, cancelled } = counts;
    const ended = { ...counts, waiting: 0, running: 0, cancelled: cancelled + waiting + running };
    return { counts: ended, failures };
  }

  /** A paused page begins nothing, and only polls. */
  async #uploadRows(paused = this.#paused): Promise<Pick<UploadedPage, 'own' | 'processing' | 'more'>> {
    const own = [...this.#own].map(([id, { begun }]) => [id, begun] as const);
    const input = { ...this.#at(), paused, own };
    const scope = new CancellationScope();
    this.#uploading = scope;
    try {
      const uploaded = await scope.run(() => this.#steps.uploadPage(input));
      this.#note(uploaded);
      return uploaded;
    } catch (error) {
      if (!scope.consideredCancelled) throw error;
      if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('cancelled');
      // A pause or a resume ended it, also by a failed try, which is the last one then. What is left is not known.
      return { own: [], processing: true, more: true };
    } finally {
      this.#uploading = undefined;
    }
  }

  /** Starts large rows, a part of the page's slots at once. Resolves when all have ended. */
  async #uploadLarge(rows: readonly OwnRow[]): Promise<void> {
    const queue = rows.filter(({ name }) => !this.#own.has(name.id));
    for (const { name } of queue) this.#own.set(name.id, { workflowId: name.workflowId, begun: false });
    const atOnce = Math.max(1, Math.floor(this.input.slots / SMALL_FILES_PER_LARGE));
    const work = async (): Promise<void> => {
      for (let row = queue.shift(); row !== undefined; row = queue.shift()) await this.#uploadOwn(row);
    };
    await Promise.all(Array.from({ length: atOnce }, work));
  }

  async #uploadOwn(row: OwnRow): Promise<void> {
    try {
      await condition(() => !this.#paused);
      const { name, inputDigest } = row;
      const { line, same } = await uploadInOwnWorkflow({
        ...{ ...row, batchId: this.input.batchId },
        end: (how) => this.#steps.endRow({ ...this.#at(), name, inputDigest, ...how }),
        onBegun: () => this.#begun(name),
      });
      const { counts, failures } = this.#known;
      const running = Math.max(0, counts.running - 1);
      const isFailed = line.status === 'FAILED';
      this.#note({
        counts: withWaiting(withEnded({ ...counts, running }, line, this.input.round)),
        failures: failures + Number(isFailed),
      });
      if (isFailed || same !== undefined) this.#report(same);
    } catch (error) {
      // Cancelled before it began: the row has no result.
      if (!isCancellation(error)) throw error;
    } finally {
      this.#own.delete(row.name.id);
    }
  }

  #begun({ id, workflowId }: RowName): void {
    const { counts, failures } = this.#known;
    if (this.#own.get(id)?.begun === false)
      this.#note({ counts: withWaiting({ ...counts, running: counts.running + 1 }), failures });
    this.#own.set(id, { workflowId, begun: true });
    if (this.#paused) void sendTo(workflowId, (handle) => handle.signal(PAUSE_SIGNAL));
  }

  /** The root applies the limits of failures. */
  #report(same: PageReport['same']): void {
    const { account, batchId, options, page } = this.input;
    if (same === undefined && !limitsFailures(options)) return;
    const report: PageReport = { page, ...this.#known, ...given({ same }) };
    const root = batchWorkflowId(account.accountId, batchId);
    void sendTo(root, (handle) => handle.signal(PAGE_REPORT_SIGNAL, report));
  }

  /** What every step gets. */
  #at(): PageStep {
    this.#turn += 1;
    const { accountId } = this.input.account;
    return { ...this.input, accountId, resumes: this.#resumes, turn: this.#turn };
  }

  #note(known: PageCounts): void {
    this.#known = { counts: known.counts, failures: known.failures };
    const { waiting, running } = known.counts;
    // Where the client reads it while no activity runs. A page that ends now reports to the root.
    if (waiting + running > 0) upsertMemo({ progress: { counts: known.counts } } satisfies PageMemo);
  }

  /** Sends all signals at once, so that a resume never overtakes a pause. */
  #control(paused: boolean, resumes: number): void {
    if (paused === this.#paused && resumes === this.#resumes) return;
    this.#resumes = resumes;
    this.#uploading?.cancel();
    if (paused === this.#paused) return;
    this.#paused = paused;
    const signal = paused ? PAUSE_SIGNAL : RESUME_SIGNAL;
    for (const { workflowId, begun } of this.#own.values())
      // An upload that has ended needs no signal.
      if (begun) void sendTo(workflowId, (handle) => handle.signal(signal));
  }
}
