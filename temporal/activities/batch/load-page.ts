import type { WorkflowExecutionDescription } from '@temporalio/client';
import { MediaServiceError } from '../../../api/errors';
import { isRetryable } from '../../../api/retry/retryable';
import type { EarlierSession, UploadOptions } from '../../../api/upload/request/upload-request';
import type { StepFailure } from '../../../api/upload/upload-steps';
import { labelOfSource } from '../../../api/upload/sources/source-label';
import { inOrder } from '../../../manifest/check/in-order';
import { rowRequest } from '../../../manifest/row-request';
import type { Place } from '../../../places/place';
import { inputDigest } from '../../client/input-digest';
import { uploadInput } from '../../client/upload-input';
import { uploadWorkflowId } from '../../contract';
import type { ForAccount, UploadMemo, UploadWorkflowInput } from '../../contract';
import { earlierSessionOf } from '../../contract/earlier-session';
import { batchIngestKey } from '../../contract/batch-ids';
import type { AccountLine, BatchCounts, BatchOptions } from '../../contract/batch';
import { NO_ROWS, withEnded } from '../../contract/batch-counts';
import { accountOf } from '../context/activity-deps';
import type { ActivityDeps } from '../context/activity-deps';
import { describedWorkflow, isOpen } from './described-workflow';
import { inPatientActivity } from './in-patient-activity';
import { readJournal } from './journal/page-journal';
import type { NotedSession, PageJournal } from './journal/page-journal';
import { openedRow, readPlannedRows } from './journal/planned-row';
import type { PlannedRow } from './journal/planned-row';
import { rowPlaceOf } from './row-place';

type Input = ForAccount<{
  readonly queuePrefix: string;
  readonly batchId: string;
  readonly folder: Place;
  readonly options: BatchOptions;
  readonly page: number;
  readonly round: number;
  readonly retryFailed: boolean;
}>;

const DESCRIBED_AT_ONCE = 16;

export interface LoadedPage {
  /** Rows that have ended already; the others are `waiting`. */
  readonly counts: BatchCounts;
  /** What the inputs of all uploads have in common. Unset: there is nothing to upload. */
  readonly shared?: SharedInput;
  readonly rows: readonly LoadedRow[];
}

export type SharedInput = Pick<UploadWorkflowInput, 'account' | 'queuePrefix' | 'options'>;
export type OwnInput = Omit<UploadWorkflowInput, keyof SharedInput>;

/** A row that is to be uploaded. */
export interface LoadedRow {
  readonly line: number;
  readonly id: string;
  readonly workflowId: string;
  /** Runs of it so far. */
  readonly attempts: number;
  /** As the manifest names it; of an http address its label. For the account. */
  readonly source: string;
  /** For lists of uploads. */
  readonly label: string;
  readonly title?: string;
  /** An upload under its key runs or is completed: the row takes its end. */
  readonly joins?: true;
  /** Unset: it cannot be uploaded, `error` says why. */
  readonly upload?: { readonly input: OwnInput; readonly inputDigest: string };
  readonly error?: StepFailure;
}

/** The rows of a page that are still to be uploaded: all but the completed ones, and those that failed unless they are to be tried again. */
export function loadPage(deps: ActivityDeps) {
  return (input: Input): Promise<LoadedPage> =>
    inPatientActivity(async (signal) => {
      const { folder, page } = input;
      const planned = await readPlannedRows(deps.places, { folder, page }, signal);
      const journal = await readJournal(deps.places, { folder, page }, signal);
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
        rows: await withEarlierUploads(rows, journal),
        ...(shared === undefined ? {} : { shared }),
      };
    });
}

/** With what each row has already: an upload under its key, also one that no batch started, or a session that an earlier run of the row left. */
async function withEarlierUploads(
  rows: readonly LoadedRow[],
  { sessions }: Pick<PageJournal, 'sessions'>,
): Promise<LoadedRow[]> {
  const found: LoadedRow[] = [];
  const looked = inOrder(rows, DESCRIBED_AT_ONCE, (row) => withEarlierUpload(row, sessions.get(row.id)));
  for await (const row of looked) found.push(row);
  return found;
}

async function withEarlierUpload(row: LoadedRow, noted: NotedSession | undefined): Promise<LoadedRow> {
  const { upload } = row;
  if (upload === undefined) return row;
  const workflow = await describedWorkflow(row.workflowId);
  if (workflow !== undefined && (isOpen(workflow) || workflow.status.name === 'COMPLETED')) {
    return { ...row, joins: true };
  }
  const earlier = earlierSession(upload.inputDigest, workflow, noted);
  return earlier === undefined ? row : { ...row, upload: { ...upload, input: { ...upload.input, earlier } } };
}

/** The newer one of what an upload of its own left and what the page journal names. Temporal forgets after its retention time, the batch's folder never does. */
function earlierSession(
  inputDigest: string,
  workflow: WorkflowExecutionDescription | undefined,
  noted: NotedSession | undefined,
): EarlierSession | undefined {
  const inJournal = earlierSessionOf(noted ?? {});
  if (workflow === undefined) return inJournal;
  const memo: UploadMemo = workflow.memo ?? {};
  const inMemo = memo.inputDigest === inputDigest ? earlierSessionOf(memo) : undefined;
  const isNewer = noted === undefined || workflow.startTime > new Date(noted.notedAt);
  return isNewer ? (inMemo ?? inJournal) : inJournal;
}

/** All uploads of the batch share its bandwidth. */
function uploadOptions({ accountId, batchId, options }: Input): UploadOptions {
  const { upload = {}, bytesPerSecond } = options;
  if (bytesPerSecond === undefined) return upload;
  return { ...upload, bytesPerSecond, bandwidthGroup: `${accountId}/${batchId}` };
}

function isToUpload({ status, round }: AccountLine, input: Pick<Input, 'retryFailed' | 'round'>): boolean {
  if (status === 'FAILED') return input.retryFailed && round < input.round;
  return status === 'CANCELLED';
}

type Loaded = { readonly row: Omit<LoadedRow, 'attempts'>; readonly shared?: SharedInput };

function loadRow(deps: ActivityDeps, input: Input, planned: PlannedRow): Loaded {
  const { accountId, queuePrefix, batchId, options } = input;
  const { service, sealKeys } = accountOf(deps, accountId);
  const { line, id, source, media } = planned.row;
  const ingestKey = batchIngestKey(batchId, id);
  const named = {
    line,
    id,
    source,
    workflowId: uploadWorkflowId(accountId, ingestKey),
    ...(media.title === undefined ? {} : { title: media.title }),
  };
  try {
    const request = rowRequest(openedRow(planned, sealKeys), rowPlaceOf(options));
    // The schema is a row's own: some sources need newer workers than others.
    const {
      account,
      queuePrefix: prefix,
      options: upload,
      ...own
    } = uploadInput({
      account: service.account,
      request: { ...request, ingestKey, options: uploadOptions(input) },
      queuePrefix,
      serviceOptions: service.options,
    });
    // Of the source as the manifest names it: sealed, addresses with another path can look the same.
    const digest = inputDigest({ ...own, source: request.source, options: upload });
    return {
      row: { ...named, label: labelOfSource(own.source), upload: { input: own, inputDigest: digest } },
      shared: { account, queuePrefix: prefix, options: upload },
    };
  } catch (error) {
    // A seal that another worker may open.
    if (!(error instanceof MediaServiceError) || isRetryable(error)) throw error;
    const { code, message, facts } = error;
    return { row: { ...named, label: id, error: { code, message, facts } } };
  }
}
