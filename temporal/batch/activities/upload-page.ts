import { setMaxListeners } from 'node:events';
import { Context } from '@temporalio/activity';
import type { MediaServiceError } from '../../../api/errors';
import { given } from '../../../api/json';
import { mapAll } from '../../../api/map-in-order';
import { JournalWriter } from '../files/journal-writer';
import { readPage } from '../files/page-journal';
import type { JournalLine, PageRow } from '../files/page-journal';
import { failedLine, rowName } from '../files/result-line';
import { PAGE_REPORT_SIGNAL } from '../types';
import type { EndedLine, PageReport } from '../types';
import { batchWorkflowId } from '../ids';
import { limitsFailures } from '../pause-reasons';
import { stepFailureOf } from '../../failure';
import type { ActivityDeps } from '../../worker/activity-deps';
import { applicationFailureOf } from '../../application-failure';
import { inActivity, retryDelayMs } from '../../worker/in-activity';
import type { PageSlots } from '../../worker/limits/row-slots';
import { Refusals } from '../../worker/other-workers';
import { withChangedFiles } from './changed-files';
import { loadRow } from './load-row';
import { lookOutside } from './large-row';
import type { LookOutside } from './large-row';
import { PageContact } from './page-contact';
import { PageState } from './page-state';
import type { OwnRow, UploadedPage, UploadPageInput } from './page-state';
import type { RowContext } from './row-steps';
import { pollRow, stillProcessed, uploadRow } from './upload-row';
import type { RowEnd } from './upload-row';

/** Rows that one line of the journal names before their `start`. */
const HANDFUL = 16;
/** How often rows that are processed are polled while others are uploaded, ms. */
const POLL_MS = 10_000;
const POLLED_AT_ONCE = 16;
/** How often a page checks whether rows failed, or show that the batch works, ms. */
const WATCH_MS = 500;

/**
 * Uploads the rows of a page that have not ended: many at once, in this process, with a journal in the batch's folder.
 * Another attempt continues from the journal. When it is cancelled, it begins nothing more and returns once its running
 * rows have ended. If only rows are left that the service processes, each try ends as BENIGN, and costs neither history
 * nor a slot.
 */
export function uploadPage(deps: ActivityDeps) {
  return (input: UploadPageInput): Promise<UploadedPage> =>
    inActivity(async () => {
      try {
        return await new PageUpload(deps, input).toEnd();
      } catch (error) {
        // Somebody can empty a full disk, mount a folder again or start a server.
        const delayMs = retryDelayMs(Context.current().info.attempt);
        throw applicationFailureOf(error, { always: true, delayMs });
      }
    });
}

/** One attempt to upload a page. */
class PageUpload {
  readonly #journal: JournalWriter;
  readonly #state: PageState;
  readonly #contact: PageContact;
  readonly #slots: PageSlots;
  readonly #row: RowContext;
  readonly #tasks = new Set<Promise<void>>();
  readonly #broke = new AbortController();
  /** The journal can't be written, or a row met an unknown error, so nothing more may begin. */
  #broken: { readonly error: unknown } | undefined;
  #outside: LookOutside | undefined;
  /** Rows are left to another worker. */
  #left: MediaServiceError | undefined;
  #reported = 0;
  /** The root gets them before the end of the page. */
  #reporting: Promise<unknown> = Promise.resolve();
  #proven: boolean;

  constructor(
    private readonly deps: ActivityDeps,
    private readonly input: UploadPageInput,
  ) {
    const { info } = Context.current();
    const { accountId, round, options, folder } = input;
    this.#proven = input.proves !== true;
    this.#journal = new JournalWriter(deps.files, folder, { ...input, attempt: info.attempt });
    this.#state = new PageState(round);
    const refusals = new Refusals(deps.identity);
    const contact = new PageContact(deps, () => this.#state.progress(refusals.refusedBy));
    this.#contact = contact;
    this.#slots = deps.rowSlots.openPage(input);
    const signal = AbortSignal.any([contact.ending, this.#broke.signal]);
    setMaxListeners(0, signal, contact.stopping);
    this.#row = {
      ...{ deps, accountId, queue: info.taskQueue, signal, options, refusals },
      may: (what) =>
        !contact.isLost() && !signal.aborted && (what === 'complete' || !contact.stopping.aborted),
      write: (line) => this.#write(line),
      onRetry: (id, error) => this.#state.retried(id, error && stepFailureOf(error)),
    };
  }

  async toEnd(): Promise<UploadedPage> {
    const timers = [
      setInterval(() => void this.#poll(), POLL_MS),
      setInterval(() => this.#watch(), WATCH_MS),
    ];
    try {
      await this.#begin();
      await Promise.all(this.#tasks);
      await this.#poll();
      this.#watch();
      await this.#reporting;
      if (this.#contact.isLost()) throw new Error('Temporal has given up this attempt of the page.');
      await this.#journal.close();
      if (this.#broken !== undefined) throw this.#broken.error;
      const { own, processing, counted, hasMore: more } = this.#state;
      const open =
        this.#left ?? (processing.size > 0 ? stillProcessed(processing.size, this.input.options) : undefined);
      if (open !== undefined && own.length === 0 && !this.#contact.stopping.aborted) {
        await this.#contact.heartbeat();
        throw open;
      }
      return { ...counted, own, processing: processing.size > 0, more };
    } finally {
      for (const timer of timers) clearInterval(timer);
      this.#broke.abort();
      await Promise.all(this.#tasks);
      this.#slots.close();
      this.#contact.close();
      // The first failure is thrown.
      await this.#journal.close().catch(() => undefined);
    }
  }

  /** Begins the rows one after the other. */
  async #begin(): Promise<void> {
    const { accountId, batchId, paused } = this.input;
    const look = { ...this.#row, rows: await readPage(this.deps.files, this.input) };
    const page = paused ? look.rows : await withChangedFiles(this.deps, this.input, look);
    const rows = this.#state.load(page, this.input);
    if (paused || rows.length === 0) return;
    this.#outside = await lookOutside(accountId, batchId);
    for (let begun = 0; begun < rows.length; begun += HANDFUL)
      if (!(await this.#beginHandful(rows.slice(begun, begun + HANDFUL)))) return;
  }

  /** False: not all of them began. The first has its slot before the journal names them. */
  async #beginHandful(rows: readonly PageRow[]): Promise<boolean> {
    let free = await this.#slot();
    if (free === undefined) return false;
    await this.#write({ starting: rows.map(({ planned }) => planned.row.id) }).catch((error: unknown) => {
      free?.();
      throw error;
    });
    for (const [index, row] of rows.entries()) {
      const leave = free ?? (await this.#slot());
      free = undefined;
      if (leave === undefined) {
        this.#note({ unstarted: rows.slice(index).map(({ planned }) => planned.row.id) });
        return false;
      }
      const task = this.#run(row).finally(() => {
        leave();
        this.#tasks.delete(task);
      });
      this.#tasks.add(task);
    }
    return true;
  }

  /** Undefined: nothing more may begin. */
  async #slot(): Promise<(() => void) | undefined> {
    const isOver = (): boolean => this.#mustStop() || this.#state.isFull;
    const leave = isOver() ? undefined : await this.#slots.enter(this.#contact.stopping);
    if (!isOver()) return leave;
    leave?.();
    return undefined;
  }

  #mustStop(): boolean {
    const isRefused = this.#left?.code === 'LoginRefused';
    return isRefused || this.#contact.stopping.aborted || this.#broken !== undefined;
  }

  async #run(row: PageRow): Promise<void> {
    const { id } = row.planned.row;
    try {
      this.#settle(id, await this.#upload(row));
    } catch (error) {
      this.#break(error);
    } finally {
      this.#state.retried(id, undefined);
    }
  }

  async #upload(row: PageRow): Promise<RowEnd> {
    this.#state.begin();
    const name = rowName(row, this.input);
    const loaded = loadRow(this.deps, this.input, row);
    if ('failure' in loaded) return { line: failedLine(name, loaded), ...loaded };
    const { upload, inputDigest } = loaded;
    const found = (await this.#outside?.(row, inputDigest)) ?? { left: {} };
    if ('joins' in found) return this.#toOwn({ name, upload, inputDigest });
    const { earlier: session } = found.left;
    // From now on, the journal knows more about the row than the upload that left this session.
    if (session !== undefined) await this.#write({ id: name.id, session });
    const request = { ...upload, ...found.left };
    const isContinued = session === undefined && row.session !== undefined && row.result === undefined;
    const end = await uploadRow(this.#row, { name, request, isContinued });
    if (!('large' in end)) return end;
    return this.#toOwn({ name, upload: { ...request, source: end.large.source }, inputDigest });
  }

  #toOwn(own: OwnRow): RowEnd {
    this.#state.addOwn(own);
    return { unstarted: true };
  }

  /** Writes down how a row ended. The next attempt continues from the journal if this one must not write any more. */
  #settle(id: string, end: RowEnd): void {
    if (this.#contact.isLost() || this.#broken !== undefined) return;
    if ('unstarted' in end) {
      this.#left ??= end.leftBecause;
      this.#state.requeue();
      if (end.unstarted) this.#note({ unstarted: [id] });
    } else if ('processing' in end) {
      this.#state.processing.set(id, end.processing);
      this.#note({ id, processing: end.processing });
    } else if ('line' in end) {
      this.#ended(end);
    }
  }

  #ended(end: EndedLine): void {
    const { line } = end;
    const { status, error: { code } = { code: 'none' } } = line;
    const labels = { account: this.input.accountId, kind: 'row', outcome: status.toLowerCase(), code };
    this.#state.ended(line);
    this.deps.metrics.add('uploadsEnded', labels);
    const isHeld = this.#slots.ended(end);
    if (isHeld) this.#report(given({ same: this.#slots.unreported() }));
    else if (status === 'COMPLETED' && !this.#proven) this.#watch();
    this.#note(line);
  }

  /** Rows that are processed for long need no slot, but their end is written down soon. */
  async #poll(): Promise<void> {
    await mapAll([...this.#state.processing], POLLED_AT_ONCE, async ([id, processing]) => {
      if (this.#mustStop()) return;
      const polled = pollRow(this.#row, processing);
      const end = await polled.catch((error: unknown) => this.#break(error));
      if (end !== undefined && this.#state.processing.delete(id)) this.#ended(end);
    });
  }

  /** The root applies the limits of failures, and decides when other pages begin. */
  #watch(): void {
    const { counted, isProof } = this.#state;
    const proven = isProof && !this.#proven;
    this.#proven ||= proven;
    const isNew = counted.failures > this.#reported && limitsFailures(this.input.options);
    const same = this.#slots.unreported();
    if (proven || isNew || same !== undefined) this.#report({ proven, ...given({ same }) });
  }

  #report(more: Pick<PageReport, 'same' | 'proven'>): void {
    this.#reporting = Promise.all([this.#reporting, this.#send(more)]);
  }

  async #send(more: Pick<PageReport, 'same' | 'proven'>): Promise<void> {
    const { accountId, batchId, page } = this.input;
    const { client, log } = Context.current();
    const { counted } = this.#state;
    this.#reported = counted.failures;
    const report: PageReport = { page, ...counted, ...more };
    try {
      await client.workflow.getHandle(batchWorkflowId(accountId, batchId)).signal(PAGE_REPORT_SIGNAL, report);
    } catch (error) {
      if (more.proven === true) this.#proven = false;
      log.warn('The batch did not get a report of failed rows', { error });
    }
  }

  /** Nobody waits for this line. If it can't be written, the attempt ends. */
  #note(line: JournalLine): void {
    // `#write` handles the failure.
    this.#write(line).catch(() => undefined);
  }

  #write(line: JournalLine): Promise<void> {
    const written = this.#journal.write(line);
    written.catch((error: unknown) => this.#break(error));
    return written;
  }

  #break(error: unknown): undefined {
    this.#broken ??= { error };
    this.#broke.abort();
  }
}
