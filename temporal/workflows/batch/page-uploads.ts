import { condition } from '@temporalio/workflow';
import type { LoadedRow, SharedInput } from '../../batch/loaded-row';
import type { BatchActivities } from '../../activities/batch/batch-activities';
import { runUpload } from '../../../api/upload/run-upload';
import { DEFAULT_UPLOAD_OPTIONS } from '../../../api/upload/request/upload-request';
import type { EarlierSession, UploadProgress } from '../../../api/upload/request/upload-request';
import { given } from '../../../api/json';
import { hostOfSource } from '../../../api/upload/sources/source-rules';
import { sourceIdentity } from '../../../api/upload/sources/source-identity';
import type { PinnedSource } from '../../../api/upload/sources/source';
import type { StartedSession, UploadSteps } from '../../../api/upload/upload-steps';
import type { Sealed, UploadWorkflowInput, WorkflowProgress } from '../../contract/upload';
import { DEFAULT_BATCH_OPTIONS, type PageInput, type PageProgress } from '../../contract/batch';
import { batchIngestKey } from '../../contract/batch-ids';
import type { EarlyOutcomes } from '../../contract/groups';
import { sessionOf } from '../../contract/earlier-run';
import type { NoteOfSession, UploadGroups } from '../../contract/upload-groups';
import { stepFailureOf } from '../../failure';
import type { Gatherer } from '../groups/gatherer';
import { gatheredSteps, type GatheredSteps } from '../groups/gathered-steps';
import { uploadGatherer } from '../groups/upload-gatherer';
import { reportUploadEnd } from '../telemetry/fleet-sinks';
import { workflowControl } from '../workflow-control';
import type { JournalWriter } from './journal-writer';
import { completedEnd, uploadInOwnWorkflow, type RowEnd } from './row-workflow';
import { PinsAhead } from './pins-ahead';

/**
 * Number of small files that one large file replaces, because it occupies storage, workers and its session much
 * longer.
 */
const SMALL_FILES_PER_LARGE = 4;
/**
 * Files up to this size are sent in the step that starts their session. A larger one would delay others of its group.
 */
const MAX_SENT_BYTES = 1024 * 1024;

interface PageUploadsInput {
  readonly input: PageInput;
  readonly shared: SharedInput;
  readonly journal: JournalWriter;
  readonly steps: Pick<BatchActivities, 'joinUpload'>;
  /** Uploads that the page may run at once. */
  readonly slots: () => number;
  readonly isPaused: () => boolean;
  /** Called when the row's upload in its own workflow has begun, or was found. */
  readonly onOwnWorkflow: (row: LoadedRow) => void;
}

/**
 * The uploads of a page's rows, side by side in the page's workflow, with their steps gathered into groups. A file
 * above `maxGroupedBytes` is uploaded in its own workflow. So is a row whose upload exists already.
 */
export class PageUploads {
  readonly #given: PageUploadsInput;
  readonly #gatherer: Gatherer<UploadGroups>;
  readonly #steps: GatheredSteps;
  readonly #pins: PinsAhead;
  /** Number of large files that are being uploaded. */
  #large = 0;
  /** Progress of rows that have begun here, by row id. */
  readonly #progress = new Map<string, UploadProgress>();

  constructor(input: PageUploadsInput) {
    const { shared, isPaused } = input;
    this.#given = input;
    this.#gatherer = uploadGatherer({
      accountId: shared.account.accountId,
      options: shared.options,
      ofPage: true,
      maySendParts: () => !isPaused(),
      onChange: () => undefined,
    });
    this.#steps = gatheredSteps(shared, this.#gatherer, MAX_SENT_BYTES);
    this.#pins = new PinsAhead((source) => this.#steps.pinSource({ source }));
  }

  /** Prepares rows that wait for a slot, in the order in which they begin. */
  prepare(waiting: readonly LoadedRow[]): void {
    this.#pins.request(
      waiting.flatMap(({ id, upload, joins }) =>
        upload === undefined || joins === true ? [] : [{ id, source: upload.input.source }],
      ),
    );
  }

  /** Never rejects. A failure becomes the row's result. */
  async upload(row: LoadedRow): Promise<RowEnd> {
    try {
      if (row.joins === true) return await this.#inOwnWorkflow(row);
      const startedAt = Date.now();
      const request = this.#requestOf(row);
      const pinning = this.#pins.take({ id: row.id, source: request.source });
      // The row awaits the pin below, and handles its failure there.
      const pinned = await pinning.catch(() => undefined);
      const { maxGroupedBytes = DEFAULT_BATCH_OPTIONS.maxGroupedBytes } = this.#given.input.options;
      if (pinned !== undefined && pinned.bytes > maxGroupedBytes) return await this.#uploadLarge(row, pinned);
      const end = await this.#inPage(row, { request, pinning, pinned });
      this.#count(end, startedAt);
      return end;
    } catch (error) {
      return { failure: stepFailureOf(error) };
    }
  }

  /** Takes outcomes that an activity sent before the slowest input of its group. */
  early(outcomes: EarlyOutcomes): void {
    this.#gatherer.early(outcomes);
  }

  /** Lets groups of parts leave after a pause. */
  resume(): void {
    this.#gatherer.resume();
  }

  /** Progress of a row that has begun in this workflow. */
  progressOf(rowId: string): WorkflowProgress | undefined {
    const progress = this.#progress.get(rowId);
    return progress === undefined ? undefined : { ...progress, paused: this.#given.isPaused() };
  }

  /** Why steps of rows wait for their next try, and how many do. Undefined if none waits. */
  waiting(): PageProgress['waiting'] {
    const waiting = this.#gatherer.waiting();
    return waiting === undefined ? undefined : { reason: waiting.reason, steps: waiting.calls };
  }

  #requestOf({ id, upload }: LoadedRow): UploadWorkflowInput {
    if (upload === undefined) throw new Error('A row without an upload is not uploaded.');
    const ingestKey = batchIngestKey(this.#given.input.batchId, id);
    return { ...this.#given.shared, ...upload.input, ingestKey };
  }

  async #inPage(
    { id }: LoadedRow,
    {
      request,
      pinning,
      pinned,
    }: {
      readonly request: UploadWorkflowInput;
      readonly pinning: Promise<PinnedSource>;
      readonly pinned: PinnedSource | undefined;
    },
  ): Promise<RowEnd> {
    const { earlier } = request;
    const identity = pinned === undefined ? undefined : sourceIdentity(pinned);
    let progress: UploadProgress | undefined;
    const sessionNow = (started?: StartedSession): EarlierSession | undefined =>
      progress === undefined ? undefined : sessionOf({ ...progress, ...started }, { identity, earlier });
    let noted: Promise<void> | undefined;
    const steps: UploadSteps<Sealed> = {
      ...this.#steps,
      pinSource: () => pinning,
      startSession: async (input) => {
        const note = pinned === undefined ? undefined : this.#noteBy(id, pinned);
        const started = await this.#steps.startSession({ ...input, ...given({ note }) });
        if (started.noted !== true) noted = this.#note(id, sessionNow(started));
        return started;
      },
      // Before `complete` is sent, the journal must contain the session for the next run of the row.
      completeSession: async (input) => {
        await noted;
        return this.#steps.completeSession(input);
      },
    };
    const control = workflowControl({
      partsAtOnce: request.options.concurrency ?? DEFAULT_UPLOAD_OPTIONS.concurrency,
      isPaused: this.#given.isPaused,
      onProgress: (news) => {
        progress = news;
        this.#progress.set(id, news);
      },
    });
    try {
      return completedEnd(await runUpload(request, steps, control), false);
    } catch (error) {
      const left = sessionNow();
      return { failure: stepFailureOf(error), ...(left === undefined ? {} : { session: left }) };
    }
  }

  #count(end: RowEnd, startedAt: number): void {
    const { accountId } = this.#given.shared.account;
    const code = 'failure' in end ? { code: end.failure.code } : {};
    reportUploadEnd({ accountId, startedAt, endedAt: Date.now(), ...code });
  }

  /** The step that starts the session can note it if it runs where the batch's folder is. */
  #noteBy(rowId: string, { source }: PinnedSource): NoteOfSession | undefined {
    const { folder, page, round } = this.#given.input;
    const isThere = folder.kind !== 'path' || [undefined, hostOfSource(source)].includes(folder.host);
    return isThere ? { rowId, journal: { folder, page, round } } : undefined;
  }

  /** Callers that await it get its failure. The failure also fails the page when it closes. */
  #note(id: string, session: EarlierSession | undefined): Promise<void> | undefined {
    if (session === undefined) return undefined;
    const noted = this.#given.journal.add({ id, ...session, notedAt: new Date().toISOString() });
    // Prevents an unhandled rejection, see above.
    noted.catch(() => undefined);
    return noted;
  }

  /** Waits until few enough large files are being uploaded. */
  async #uploadLarge(row: LoadedRow, pinned: PinnedSource): Promise<RowEnd> {
    const max = (): number => Math.max(1, Math.floor(this.#given.slots() / SMALL_FILES_PER_LARGE));
    try {
      await condition(() => this.#large < max());
    } catch (error) {
      await this.#steps.releaseSource({ source: pinned.source });
      throw error;
    }
    this.#large += 1;
    try {
      return await this.#inOwnWorkflow(row, pinned);
    } finally {
      this.#large -= 1;
    }
  }

  /** If the pin copied the source to a spool folder, that file is the source. */
  #inOwnWorkflow(row: LoadedRow, pinned?: PinnedSource): Promise<RowEnd> {
    const { input, shared, steps, onOwnWorkflow } = this.#given;
    return uploadInOwnWorkflow({
      row,
      ...(pinned === undefined ? {} : { source: pinned.source }),
      shared,
      batchId: input.batchId,
      steps,
      onBegun: () => onOwnWorkflow(row),
    });
  }
}
