import type { WorkflowExecutionDescription } from '@temporalio/client';
import { MediaServiceError } from '../../../api/errors';
import { isRetryable } from '../../../api/retry/retryable';
import type { UploadOptions } from '../../../api/upload/request/upload-request';
import type { StepFailure } from '../../../api/upload/upload-steps';
import { mapAll } from '../../../api/map-in-order';
import { rowRequest } from '../../../manifest/row-request';
import type { FileLocation } from '../../../files/file-location';
import { inputDigest } from '../../client/input-digest';
import { uploadInput } from '../../client/upload-input';
import type { ForAccount, UploadMemo, UploadWorkflowInput } from '../../contract/upload';
import { leftBy, leftIn } from '../../contract/earlier-run';
import type { Left } from '../../contract/earlier-run';
import { batchIngestKey, rowWorkflowId } from '../../contract/batch-ids';
import type { BatchCounts, BatchOptions } from '../../contract/batch';
import { isToUpload, NO_ROWS, withEnded } from '../../contract/batch-counts';
import { accountOf } from '../context/activity-deps';
import type { ActivityDeps } from '../context/activity-deps';
import { isOpen } from '../../client/control-workflow';
import { describedWorkflow } from './described-workflow';
import { inRetryableActivity } from './in-retryable-activity';
import { readJournal } from './journal/page-journal';
import type { NotedSession, PageJournal } from './journal/page-journal';
import { openedRow, readPlannedRows } from './journal/planned-row';
import type { PlannedRow } from './journal/planned-row';
import { rowContextOf } from './row-context';

type Input = ForAccount<{
  readonly queuePrefix: string;
  readonly batchId: string;
  readonly folder: FileLocation;
  readonly options: BatchOptions;
  readonly page: number;
  readonly round: number;
  readonly retryFailed: boolean;
  /** How often the page was lost. */
  readonly losses: number;
}>;

const DESCRIBED_AT_ONCE = 16;

export interface LoadedPage {
  /** Counts of rows that have ended already. All other rows are `waiting`. */
  readonly counts: BatchCounts;
  /** What the inputs of all uploads have in common. Unset: no row can be uploaded. */
  readonly shared?: SharedInput;
  readonly rows: readonly LoadedRow[];
}

export type SharedInput = Pick<UploadWorkflowInput, 'account' | 'queuePrefix' | 'options'>;
/** The ingest key is left out because it follows from the ids of the batch and the row. */
export type OwnInput = Omit<UploadWorkflowInput, keyof SharedInput | 'ingestKey'>;

/** A row that must be uploaded. */
export interface LoadedRow {
  readonly line: number;
  readonly id: string;
  /** Runs of the row so far. */
  readonly attempts: number;
  /** The source as the manifest names it, for the results. For an http URL, its label. */
  readonly source: string;
  /** Only for a row that can't be uploaded. Otherwise the upload's input contains it. */
  readonly title?: string;
  /** An upload under the row's key runs or is completed. The row takes the result of that upload. */
  readonly joins?: true;
  /** Unset: the row can't be uploaded, and `error` says why. */
  readonly upload?: { readonly input: OwnInput; readonly inputDigest: string };
  readonly error?: StepFailure;
}

/**
 * The rows of a page that still need an upload. That excludes completed rows, and failed rows unless they must be
 * retried.
 */
export function loadPage(deps: ActivityDeps) {
  return (input: Input): Promise<LoadedPage> =>
    inRetryableActivity(async (signal) => {
      const { folder, page } = input;
      const planned = await readPlannedRows(deps.files, { folder, page }, signal);
      const journal = await readJournal(deps.files, { folder, page }, signal);
      let counts: BatchCounts = { ...NO_ROWS, rows: planned.length };
      const rows: LoadedRow[] = [];
      let shared: SharedInput | undefined;
      for (const one of planned) {
        const known = journal.lines.get(one.row.id);
        if (known !== undefined && !isToUpload(known, input)) {
          counts = withEnded(counts, known, input.round);
          continue;
        }
        const loaded = loadRow(deps, input, one);
        shared ??= loaded.shared;
        rows.push({ ...loaded.row, attempts: known?.attempts ?? 0 });
      }
      return {
        counts: { ...counts, waiting: rows.length },
        rows: await withEarlierUploads(rows, journal, input),
        ...(shared === undefined ? {} : { shared }),
      };
    });
}

/**
 * Adds what each row has already: an upload under its key, even one that no batch started, or a session that an
 * earlier run of the row left.
 */
async function withEarlierUploads(
  rows: readonly LoadedRow[],
  { lines, sessions }: PageJournal,
  { accountId, batchId, losses }: Input,
): Promise<LoadedRow[]> {
  return mapAll(rows, DESCRIBED_AT_ONCE, (row) => {
    const line = lines.get(row.id);
    const session = sessions.get(row.id);
    // A run of the page that was lost could not note a `start` without an answer.
    const isUnknown = losses > 0 && line === undefined && session === undefined;
    return withEarlierUpload(row, rowWorkflowId(accountId, batchId, row.id), {
      session,
      startPending: isUnknown || line?.startPending === true,
    });
  });
}

async function withEarlierUpload(row: LoadedRow, workflowId: string, noted: Noted): Promise<LoadedRow> {
  const { upload } = row;
  if (upload === undefined) return row;
  const workflow = await describedWorkflow(workflowId);
  if (workflow !== undefined && (isOpen(workflow) || workflow.status.name === 'COMPLETED')) {
    return { ...row, joins: true };
  }
  const left = leftByRow(workflow, upload.inputDigest, noted);
  return { ...row, upload: { ...upload, input: { ...upload.input, ...left } } };
}

/** What the page journal says of a row. */
interface Noted {
  readonly session: NotedSession | undefined;
  readonly startPending: boolean;
}

/**
 * The newer of two sessions: the one of the row's own upload, and the one in the page journal. Temporal forgets
 * uploads after its retention time, but the batch's folder keeps its journals.
 */
function leftByRow(
  workflow: WorkflowExecutionDescription | undefined,
  inputDigest: string,
  { session, startPending }: Noted,
): Left {
  const inJournal = leftIn({ ...session, ...(startPending ? { startPending } : {}) });
  if (workflow === undefined) return inJournal;
  const memo: UploadMemo = workflow.memo ?? {};
  const isNewer = session === undefined || workflow.startTime > new Date(session.notedAt);
  if (memo.inputDigest !== inputDigest || !isNewer) return inJournal;
  return { ...inJournal, ...leftBy({ status: workflow.status, memo }) };
}

/** All uploads of the batch share its bandwidth. */
function uploadOptions({ accountId, batchId, options }: Input): UploadOptions {
  const { upload = {}, bytesPerSecond } = options;
  if (bytesPerSecond === undefined) return upload;
  return { ...upload, bytesPerSecond, bandwidthGroup: `${accountId}/${batchId}` };
}

type Loaded = { readonly row: Omit<LoadedRow, 'attempts'>; readonly shared?: SharedInput };

function loadRow(deps: ActivityDeps, input: Input, planned: PlannedRow): Loaded {
  const { accountId, queuePrefix, batchId, options } = input;
  const { service, sealKeys } = accountOf(deps, accountId);
  const { line, id, source, media } = planned.row;
  const named = { line, id, source };
  try {
    const request = rowRequest(openedRow(planned, sealKeys), rowContextOf(options));
    // Each row has its own schema, because some sources need newer workers than others.
    const {
      account,
      queuePrefix: prefix,
      options: upload,
      ingestKey: _derivable,
      ...own
    } = uploadInput({
      account: service.account,
      request: { ...request, ingestKey: batchIngestKey(batchId, id), options: uploadOptions(input) },
      queuePrefix,
      serviceOptions: service.options,
    });
    // Digest of the source as the manifest names it. Sealed URLs with different paths can look the same.
    const digest = inputDigest({ ...own, source: request.source });
    return {
      row: { ...named, upload: { input: own, inputDigest: digest } },
      shared: { account, queuePrefix: prefix, options: upload },
    };
  } catch (error) {
    // Another worker may be able to open the seal.
    if (!(error instanceof MediaServiceError) || isRetryable(error)) throw error;
    const { code, message, facts } = error;
    const title = media.title === undefined ? {} : { title: media.title };
    return { row: { ...named, ...title, error: { code, message, facts } } };
  }
}
