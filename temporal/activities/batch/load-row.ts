import { MediaServiceError } from '../../../api/errors';
import { isRetryable } from '../../../api/retry/retryable';
import type { UploadOptions } from '../../../api/upload/request/upload-request';
import type { StepFailure } from '../../../api/upload/upload-steps';
import { rowRequest } from '../../../manifest/row-request';
import { inputDigest } from '../../client/input-digest';
import { uploadInput } from '../../client/upload-input';
import { batchIngestKey } from '../../contract/batch-ids';
import type { BatchOptions } from '../../contract/batch';
import type { ForAccount, UploadWorkflowInput } from '../../contract/upload';
import { accountOf } from '../context/activity-deps';
import type { ActivityDeps } from '../context/activity-deps';
import { openedRow } from './journal/planned-row';
import type { PlannedRow } from './journal/planned-row';
import { rowContextOf } from './row-context';

export type SharedInput = Pick<UploadWorkflowInput, 'account' | 'queuePrefix' | 'options'>;
/** The ingest key is left out because it follows from the ids of the batch and the row. */
type OwnInput = Omit<UploadWorkflowInput, keyof SharedInput | 'ingestKey'>;

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

type Input = ForAccount<{
  readonly queuePrefix: string;
  readonly batchId: string;
  readonly options: BatchOptions;
}>;

/** All uploads of the batch share its bandwidth. */
function uploadOptions({ accountId, batchId, options }: Input): UploadOptions {
  const { upload = {}, bytesPerSecond } = options;
  if (bytesPerSecond === undefined) return upload;
  return { ...upload, bytesPerSecond, bandwidthGroup: `${accountId}/${batchId}` };
}

type Loaded = { readonly row: Omit<LoadedRow, 'attempts'>; readonly shared?: SharedInput };

/** The upload of a planned row, or why it can't be uploaded. */
export function loadRow(deps: ActivityDeps, input: Input, planned: PlannedRow): Loaded {
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
