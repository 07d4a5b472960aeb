import { setMaxListeners } from 'node:events';
import { Context } from '@temporalio/activity';
import { jsonBytes } from '../../../api/upload/request/json-size';
import type { UploadProgress } from '../../../api/upload/request/upload-request';
import type { MediaServiceError } from '../../../api/errors';
import type { StepFailure } from '../../../api/upload/upload-steps';
import { JournalWriter } from '../../batch/journal-writer';
import type { JournalEntry, Processing } from '../../batch/page-journal';
import { readPage, type PageRow } from '../../batch/page-rows';
import { failedLine, rowName, type RowName } from '../../batch/result-line';
import { DEFAULT_BATCH_OPTIONS, PAGE_REPORT_SIGNAL } from '../../contract/batch';
import type { BatchCounts, PageInput, PageProgress, PageReport, ResultLine } from '../../contract/batch';
import { isToUpload, NO_ROWS, withEnded, withWaiting } from '../../contract/batch-counts';
import { batchWorkflowId } from '../../contract/batch-ids';
import type { ForAccount, UploadWorkflowInput } from '../../contract/upload';
import type { ActivityDeps } from '../context/activity-deps';
import type { PageSlots } from '../context/row-slots';
import { inActivity } from '../context/in-activity';
import { retryable } from './in-retryable-activity';
import { loadRow } from './load-row';
import { lookOutside, type LookOutside } from './outside-uploads';
import { keepContact, type PageContact } from './page-contact';
import { pollRow, type PageCounts } from './poll-page';
import { uploadRow, type RowContext, type RowEnd } from './upload-row';

/** Rows that one line of the journal names before their `start`. */
const HANDFUL = 16;
/** A row that was lost this often with others runs alone. */
const MAX_LOST_TOGETHER = 2;
/** A row that lost its worker once more, alone, has failed. */
const MAX_LOST = 3;
/** Inputs of own uploads in one result, bytes. The page is uploaded again for more of them. */
const MAX_OWN_BYTES = 512 * 1024;
/** Rows whose progress is shown. */
const MAX_SHOWN = 20;
/** How often rows that are processed are polled while others are uploaded, ms. */
const POLL_MS = 10_000;
/** How often a page looks whether its worker stops, or rows failed, ms. */
const WATCH_MS = 500;
/** Share of the worker's time to stop that running rows may use. */
const USABLE_GRACE = 0.8;

export type UploadPageInput = ForAccount<
  Pick<
    PageInput,
    | ('queuePrefix' | 'batchId' | 'folder' | 'options' | 'page' | 'round')
    | ('retryFailed' | 'losses' | 'slots' | 'resumes')
  >
> & {
  /** See `JournalSegment`. */
  readonly turn: number;
};

/** A row with its own workflow. */
export interface OwnRow {
  readonly name: RowName;
  readonly upload: UploadWorkflowInput;
  readonly inputDigest: string;
}

export interface UploadedPage extends PageCounts {
  readonly own: readonly OwnRow[];
  /** Rows that the service still processes. */
  readonly processing: number;
  /** Rows are left to begin: the page was stopped, or has many large files. */
  readonly more: boolean;
}

/**
 * Uploads the rows of a page that have not ended: many at once, in this process, with a journal in the batch's folder.
 * Another attempt continues from the journal. When it is cancelled, it begins nothing more and returns once its running
 * rows have ended.
 */
export function uploadPage(deps: ActivityDeps) {
  return (input: UploadPageInput): Promise<UploadedPage> =>
    inActivity(async () => {
      try {
        return await new PageUpload(deps, input).toEnd();
      } catch (error) {
        // Somebody can empty a full disk, mount a folder again or start a server.
        throw retryable(error);
      }
    });
}

interface Running {
  readonly since: number;
  progress: UploadProgress | undefined;
  /** Why its step is retried. */
  failure: StepFailure | undefined;
}

/** One attempt to upload a page. */
class PageUpload {
  readonly #deps: ActivityDeps;
  readonly #input: UploadPageInput;
  readonly #journal: JournalWriter;
  readonly #contact: PageContact;
  readonly #slots: PageSlots;
  readonly #context: RowContext;
  readonly #running = new Map<string, Running>();
  readonly #tasks = new Set<Promise<void>>();
  readonly #processing = new Map<string, Processing>();
  readonly #own: OwnRow[] = [];
  #ownBytes = 0;
  #counts: BatchCounts = NO_ROWS;
  #failures = 0;
  #reported = 0;
  /** The journal can't be written, so nothing more may begin. */
  #broken: { readonly error: unknown } | undefined;
  readonly #broke = new AbortController();

  constructor(deps: ActivityDeps, input: UploadPageInput) {
    const { info } = Context.current();
    const { accountId, batchId, round, resumes, slots, options, folder } = input;
    const { maxGroupedBytes } = { ...DEFAULT_BATCH_OPTIONS, ...options };
    this.#deps = deps;
    this.#input = input;
    this.#journal = new JournalWriter(deps.files, folder, { ...input, attempt: info.attempt });
    this.#contact = keepContact(() => this.#progress(), deps.shutdownGraceMs * USABLE_GRACE);
    const batch = [accountId, batchId, round, resumes].join('/');
    this.#slots = deps.rowSlots.openPage({ batch, slots, options });
    const signal = AbortSignal.any([this.#contact.ending, this.#broke.signal]);
    setMaxListeners(0, signal, this.#contact.stopping);
    this.#context = {
      deps,
      accountId,
      queue: info.taskQueue,
      batch: info.priority?.fairnessKey,
      signal,
      may: (what) => {
        const { stopping } = this.#contact;
        return !this.#contact.isLost() && !signal.aborted && (what === 'complete' || !stopping.aborted);
      },
      write: (line) => this.#write(line),
      maxBytes: maxGroupedBytes,
    };
  }

  async toEnd(): Promise<UploadedPage> {
    const polling = setInterval(() => void this.#poll(), POLL_MS);
    const watching = setInterval(() => this.#watch(), WATCH_MS);
    try {
      const rest = await this.#begin();
      await Promise.all(this.#tasks);
      const more = rest.length > 0 || this.#counts.waiting > 0;
      if (this.#contact.isLost()) throw new Error('Temporal has given up this attempt of the page.');
      await this.#journal.close();
      if (this.#broken !== undefined) throw this.#broken.error;
      return {
        counts: this.#counts,
        failures: this.#failures,
        own: this.#own,
        processing: this.#processing.size,
        more,
      };
    } finally {
      clearInterval(polling);
      clearInterval(watching);
      this.#broke.abort();
      await Promise.all(this.#tasks);
      this.#slots.close();
      this.#contact.close();
      // The first failure is thrown.
      await this.#journal.close().catch(() => undefined);
    }
  }

  /** Begins the rows one after the other. Returns those that did not begin. */
  async #begin(): Promise<readonly PageRow[]> {
    const { accountId, batchId } = this.#input;
    const rows = this.#load(await readPage(this.#deps.files, this.#input));
    const outside = rows.length === 0 ? undefined : await lookOutside(accountId, batchId);
    const suspects = rows.filter(({ lost }) => lost >= MAX_LOST_TOGETHER);
    const others = rows.filter(({ lost }) => lost < MAX_LOST_TOGETHER);
    const handfuls = Array.from({ length: Math.ceil(others.length / HANDFUL) }, (_, index) =>
      others.slice(index * HANDFUL, (index + 1) * HANDFUL),
    );
    for (const [index, handful] of handfuls.entries()) {
      const left = await this.#beginHandful(handful, outside);
      if (left.length > 0) return [...left, ...handfuls.slice(index + 1).flat(), ...suspects];
    }
    for (const [index, row] of suspects.entries()) {
      await Promise.all(this.#tasks);
      const left = await this.#beginHandful([row], outside);
      if (left.length > 0) return suspects.slice(index);
    }
    return [];
  }

  /** Counts the rows that have ended, and returns the others. */
  #load(rows: readonly PageRow[]): PageRow[] {
    const { round } = this.#input;
    this.#counts = { ...this.#counts, rows: rows.length };
    const open: PageRow[] = [];
    for (const row of rows) {
      const { result, processing } = row;
      if (processing !== undefined) {
        this.#processing.set(row.planned.row.id, processing);
        this.#counts = { ...this.#counts, running: this.#counts.running + 1 };
      } else if (result === undefined || isToUpload(result, this.#input)) open.push(row);
      else {
        this.#counts = withEnded(this.#counts, result, round);
        this.#failures += Number(result.status === 'FAILED' && result.round === round);
      }
    }
    this.#counts = withWaiting(this.#counts);
    return open;
  }

  /** Returns the rows that did not begin. */
  async #beginHandful(rows: readonly PageRow[], outside?: LookOutside): Promise<readonly PageRow[]> {
    if (this.#mustStop()) return rows;
    await this.#write({ starting: rows.map(({ planned }) => planned.row.id) });
    for (const [index, row] of rows.entries()) {
      const leave = this.#mustStop() ? undefined : await this.#slots.enter(this.#contact.stopping);
      if (leave === undefined || this.#mustStop()) {
        leave?.();
        const left = rows.slice(index);
        this.#note({ unstarted: left.map(({ planned }) => planned.row.id) });
        return left;
      }
      const task = this.#run(row, outside).finally(() => {
        leave();
        this.#tasks.delete(task);
      });
      this.#tasks.add(task);
    }
    return [];
  }

  #mustStop(): boolean {
    return this.#contact.stopping.aborted || this.#broken !== undefined || this.#ownBytes > MAX_OWN_BYTES;
  }

  async #run(row: PageRow, outside?: LookOutside): Promise<void> {
    const { id } = row.planned.row;
    this.#running.set(id, { since: Date.now(), progress: undefined, failure: undefined });
    this.#counts = withWaiting({ ...this.#counts, running: this.#counts.running + 1 });
    try {
      this.#settle(id, await this.#upload(row, outside));
    } catch (error) {
      this.#break(error);
    } finally {
      this.#running.delete(id);
    }
  }

  async #upload(row: PageRow, outside?: LookOutside): Promise<RowEnd> {
    const name = rowName(row, this.#input);
    if (row.lost >= MAX_LOST && row.lostAlone) return failed(name, crashes(row.lost));
    const loaded = loadRow(this.#deps, this.#input, row);
    if ('failure' in loaded) return failed(name, loaded.failure);
    const { upload, inputDigest } = loaded;
    const found = await outside?.(row, inputDigest);
    if (found !== undefined && 'joins' in found) return this.#toOwn({ name, upload, inputDigest });
    const left = found === undefined ? {} : found.left;
    const { session: earlier = undefined, startPending } = row;
    const request = {
      ...upload,
      ...(earlier === undefined ? {} : { earlier }),
      ...(startPending === true || row.result?.startPending === true ? { startPending: true as const } : {}),
      ...left,
    };
    if (left.earlier !== undefined) await this.#write({ id: name.id, session: left.earlier });
    const running = this.#running.get(name.id);
    const end = await uploadRow(this.#context, {
      name,
      request,
      onProgress: (progress) => {
        if (running !== undefined) running.progress = progress;
      },
      onRetry: (error) => {
        if (running !== undefined) running.failure = error && failureOf(error);
      },
    });
    if (!('large' in end)) return end;
    return this.#toOwn({ name, upload: { ...request, source: end.large.source }, inputDigest });
  }

  #toOwn(own: OwnRow): RowEnd {
    this.#own.push(own);
    this.#ownBytes += jsonBytes(own);
    return { unstarted: true };
  }

  /** Writes down how a row ended, unless another attempt may do so by now. */
  #settle(id: string, end: RowEnd): void {
    // The next attempt continues from the journal.
    if (this.#contact.isLost() || this.#broken !== undefined) return;
    if ('unstarted' in end) {
      const isOwn = this.#own.some(({ name }) => name.id === id);
      if (!isOwn) this.#counts = withWaiting({ ...this.#counts, running: this.#counts.running - 1 });
      this.#note({ unstarted: [id] });
    } else if ('processing' in end) {
      this.#processing.set(id, end.processing);
      this.#note({ id, processing: end.processing });
    } else if ('line' in end) {
      this.#ended(end.line, end.failure);
    }
  }

  #ended(line: ResultLine, failure?: StepFailure): void {
    const counts = { ...this.#counts, running: this.#counts.running - 1 };
    const isOver = line.status !== 'CANCELLED';
    this.#counts = withWaiting(isOver ? withEnded(counts, line, this.#input.round) : counts);
    this.#deps.rowEnded({
      accountId: this.#input.accountId,
      ...(failure === undefined ? {} : { code: failure.code }),
    });
    if (line.status === 'COMPLETED') this.#slots.completed();
    if (line.status === 'FAILED') {
      this.#failures += 1;
      const pause = failure && this.#slots.failed(failure);
      if (pause !== undefined) void this.#send(pause.because);
    }
    this.#note(line);
  }

  /** Rows that are processed for long need no slot, but their end is written down soon. */
  async #poll(): Promise<void> {
    for (const [id, processing] of [...this.#processing]) {
      if (this.#mustStop()) return;
      const { accountId, options } = this.#input;
      const polled = pollRow(this.#deps, { accountId, options, processing }, this.#context.signal);
      const line = await polled.catch((error: unknown) => this.#break(error));
      if (line !== undefined && this.#processing.delete(id)) this.#ended(line);
    }
  }

  /** Nobody waits for this line. If it can't be written, the attempt ends. */
  #note(line: JournalEntry | ResultLine): void {
    this.#write(line).catch(() => undefined);
  }

  #write(line: JournalEntry | ResultLine): Promise<void> {
    const written = this.#journal.write(line);
    written.catch((error: unknown) => this.#break(error));
    return written;
  }

  #break(error: unknown): undefined {
    this.#broken ??= { error };
    this.#broke.abort();
  }

  /** The worker may stop, and the limits of failures are the root's. */
  #watch(): void {
    if (this.#deps.drain.hasBegun()) this.#contact.drain();
    const { maxFailures, maxFailureRate } = this.#input.options;
    if (maxFailures === undefined && maxFailureRate === undefined) return;
    if (this.#failures > this.#reported) void this.#send();
  }

  async #send(pauseBecause?: string): Promise<void> {
    const { accountId, batchId, page, losses, resumes } = this.#input;
    const { client, log } = Context.current();
    this.#reported = this.#failures;
    const report: PageReport = {
      ...{ page, losses, resumes, counts: this.#counts, failures: this.#failures },
      ...(pauseBecause === undefined ? {} : { pauseBecause }),
    };
    const root = client.workflow.getHandle(batchWorkflowId(accountId, batchId));
    const sent = root.signal(PAGE_REPORT_SIGNAL, report).then(() => this.#contact.lookSoon());
    await sent.catch((error: unknown) => {
      log.warn('The batch could not be told about failed rows', { error });
    });
  }

  #progress(): PageProgress {
    const running = [...this.#running];
    const failures = running.flatMap(([, { failure }]) => failure ?? []);
    const reason = failures.at(0);
    const paused = this.#contact.stopping.aborted;
    const shown = running.flatMap(([id, { progress }]) =>
      progress === undefined ? [] : [[id, { ...progress, paused }] as const],
    );
    return {
      counts: this.#counts,
      ...(reason === undefined ? {} : { waiting: { reason, steps: failures.length } }),
      rows: Object.fromEntries(shown.slice(0, MAX_SHOWN)),
    };
  }
}

function failureOf({ code, message, facts }: MediaServiceError): StepFailure {
  return { code, message, facts };
}

function failed(name: RowName, failure: StepFailure): RowEnd {
  return { line: failedLine(name, { failure }), failure };
}

function crashes(times: number): StepFailure {
  return {
    code: 'Internal',
    message: `The worker was lost ${String(times)} times while it uploaded this row, the last time alone.`,
    facts: {
      outcome: 'ambiguous',
      hint: 'Look at the log of the worker, then retry the failed rows of the batch.',
    },
  };
}
