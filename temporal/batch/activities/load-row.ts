import { createHash } from 'node:crypto';
import { MediaServiceError } from '../../../api/errors';
import { isRetryable } from '../../../api/retry';
import type { UploadOptions } from '../../../api/upload/request/upload-request';
import type { StepFailure } from '../../../api/upload/upload-steps';
import { rowRequest, sourceOf } from '../../../manifest/row-request';
import { uploadNameOf } from '../files/result-line';
import type { PageRow } from '../files/result-line';
import { openedRow, rowContextOf } from '../files/planned-row';
import { inputDigest } from '../../upload/client/input-digest';
import { uploadInput } from '../../upload/client/upload-input';
import type { PageInput, ResultLine } from '../types';
import { batchIngestKey } from '../ids';
import type { ForAccount, Left, UploadWorkflowInput } from '../../upload/types';
import { accountOf, sourceAccess } from '../../worker/activity-deps';
import type { ActivityDeps } from '../../worker/activity-deps';
import { mapAll } from '../../../api/map-in-order';
import { readSourceFacts } from '../../../api/upload/sources/read-source';
import { identitiesDiffer, identityText } from '../../../api/upload/sources/source-identity';
import type { JournalEntry } from '../files/page-journal';

type Input = ForAccount<Pick<PageInput, 'queuePrefix' | 'batchId' | 'options'>>;

/** The upload of a row, or why it can't be uploaded. */
export type LoadedRow =
  { readonly upload: UploadWorkflowInput; readonly inputDigest: string } | { readonly failure: StepFailure };

/** A row that was lost this often with others runs alone. */
export const MAX_LOST_TOGETHER = 2;
/** A row that was lost this often, the last four times alone, has failed. Two can be chance: it may wait long, alone. */
const MAX_LOST = MAX_LOST_TOGETHER + 4;

/** Rejects with a temporary error: another worker may be able to open the seal. */
export function loadRow(deps: ActivityDeps, input: Input, row: PageRow): LoadedRow {
  if (row.lost >= MAX_LOST) return { failure: crashes(row.lost) };
  const { service, sealKeys } = accountOf(deps, input.accountId);
  const { planned } = row;
  try {
    const request = rowRequest(openedRow(planned, sealKeys), rowContextOf(input.options));
    const upload = uploadInput({
      account: service.account,
      request: {
        ...request,
        ingestKey: batchIngestKey(input.batchId, uploadNameOf(row)),
        options: uploadOptions(input),
      },
      queuePrefix: input.queuePrefix,
      serviceOptions: service.options,
    });
    const { account: _account, queuePrefix: _prefix, options: _options, ingestKey: _key, ...own } = upload;
    // Digest of the source as the manifest names it. Sealed URLs with different paths can look the same.
    const digest = inputDigest({ ...own, source: request.source });
    return { upload: { ...upload, ...leftIn(row) }, inputDigest: digest };
  } catch (error) {
    if (!(error instanceof MediaServiceError) || isRetryable(error)) throw error;
    const { code, message, facts } = error;
    return { failure: { code, message, facts } };
  }
}

/** All uploads of the batch share its bandwidth. */
function uploadOptions({ accountId, batchId, options }: Input): UploadOptions {
  const { upload = {}, bytesPerSecond } = options;
  if (bytesPerSecond === undefined) return upload;
  return { ...upload, bytesPerSecond, bandwidthGroup: `${accountId}/${batchId}` };
}

/** What earlier attempts and rounds left of the row. */
function leftIn({ session: earlier, startPending, result }: PageRow): Left {
  const isPending = startPending === true || result?.startPending === true;
  return {
    ...(earlier === undefined ? {} : { earlier }),
    ...(isPending ? { startPending: true } : {}),
  };
}

function crashes(times: number): StepFailure {
  return {
    code: 'Internal',
    message: `The worker was lost ${String(times)} times while it uploaded this row, the last four times alone.`,
    facts: {
      outcome: 'ambiguous',
      hint: 'Look at the log of the worker, then retry the failed rows of the batch.',
    },
  };
}

type ChangedInput = ForAccount<Pick<PageInput, 'options' | 'round'>>;

interface Look {
  readonly rows: readonly PageRow[];
  readonly signal: AbortSignal;
  readonly write: (line: JournalEntry | ResultLine) => Promise<void>;
}

const LOOKS_AT_ONCE = 16;
const NAME_LENGTH = 8;

/**
 * Looks at the files and S3 objects of rows that an earlier round completed. A row whose file has changed since fails,
 * or will be uploaded. Writes to the page journal what it found, and returns all rows as they are now. A file that is
 * gone, or can't be read, was uploaded: its row stays completed. URLs are not looked at.
 */
export function withChangedFiles(deps: ActivityDeps, input: ChangedInput, look: Look): Promise<PageRow[]> {
  return mapAll(look.rows, LOOKS_AT_ONCE, async (row) => {
    const { result } = row;
    if (result?.identity === undefined || !wasUploaded(result, input)) return row;
    const now = await identityNow(deps, { input, row, signal: look.signal });
    if (now === undefined) return row;
    if (!identitiesDiffer(result.identity, now)) return restored(row, result, look);
    return input.options.uploadChanged === true
      ? toUpload(row, now, look)
      : failed(row, { ...result, changedTo: now, round: input.round }, look);
  });
}

function wasUploaded({ status, round, changedTo }: ResultLine, input: ChangedInput): boolean {
  return round < input.round && (status === 'COMPLETED' || changedTo !== undefined);
}

async function identityNow(
  deps: ActivityDeps,
  {
    input,
    row,
    signal,
  }: { readonly input: ChangedInput; readonly row: PageRow; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const { accountId, options } = input;
  try {
    const { source: text } = openedRow(row.planned, accountOf(deps, accountId).sealKeys);
    const source = sourceOf(text, rowContextOf(options));
    if (source.kind === 'http') return undefined;
    return (await readSourceFacts(sourceAccess(deps, accountId, source), source, signal)).identity;
  } catch (error) {
    if (!(error instanceof MediaServiceError || signal.aborted)) throw error;
    // Nothing shows that the file has changed.
    return undefined;
  }
}

/** The file is the uploaded one, perhaps again. */
async function restored(row: PageRow, result: ResultLine, { write }: Look): Promise<PageRow> {
  const { changedTo, error: _error, ...line } = result;
  if (changedTo === undefined) return row;
  const completed: ResultLine = { ...line, status: 'COMPLETED' };
  await write(completed);
  return { ...row, result: completed };
}

async function failed(row: PageRow, result: ResultLine, { write }: Look): Promise<PageRow> {
  const { identity = '', changedTo = '' } = result;
  const line: ResultLine = {
    ...result,
    status: 'FAILED',
    error: {
      code: 'SourceChanged',
      message: `The file has changed since it was uploaded: then ${identityText(identity)}, now ${identityText(changedTo)}.`,
      hint: 'Start the batch again, and choose that changed files are uploaded, or restore the file.',
    },
    endedAt: new Date().toISOString(),
  };
  await write(line);
  return { ...row, result: line };
}

/** The changed file is another upload, with a key of its own. */
async function toUpload(row: PageRow, now: string, { write }: Look): Promise<PageRow> {
  const { result, ...open } = row;
  const replaces = result?.mediaId;
  const changed = {
    as: createHash('sha256').update(now).digest('hex').slice(0, NAME_LENGTH),
    ...(replaces === undefined ? {} : { replaces }),
  };
  await write({ id: row.planned.row.id, changed });
  return { ...open, changed };
}
