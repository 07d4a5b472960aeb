import { MediaServiceError } from '../../../api/errors';
import { isRetryable } from '../../../api/retry/retryable';
import type { UploadOptions } from '../../../api/upload/request/upload-request';
import { rowRequest } from '../../../manifest/row-request';
import { inputDigest } from '../../client/input-digest';
import { uploadInput } from '../../client/upload-input';
import { batchIngestKey } from '../../contract/batch-ids';
import type { BatchOptions } from '../../contract/batch';
import type { ForAccount } from '../../contract/upload';
import { accountOf } from '../context/activity-deps';
import type { AccountDeps, ActivityDeps } from '../context/activity-deps';
import { openedRow } from '../../batch/planned-row';
import type { PlannedRow } from '../../batch/planned-row';
import type { LoadedRow, SharedInput } from '../../batch/loaded-row';
import { rowContextOf } from '../../batch/row-context';

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
  const account = accountOf(deps, input.accountId);
  const { line, id, source, media } = planned.row;
  const named = { line, id, source };
  try {
    const { upload, shared } = uploadOf(account, input, planned);
    return { row: { ...named, upload }, shared };
  } catch (error) {
    // Another worker may be able to open the seal.
    if (!(error instanceof MediaServiceError) || isRetryable(error)) throw error;
    const { code, message, facts } = error;
    const title = media.title === undefined ? {} : { title: media.title };
    return { row: { ...named, ...title, error: { code, message, facts } } };
  }
}

function uploadOf(
  { service, sealKeys }: AccountDeps,
  input: Input,
  planned: PlannedRow,
): { readonly upload: NonNullable<LoadedRow['upload']>; readonly shared: SharedInput } {
  const request = rowRequest(openedRow(planned, sealKeys), rowContextOf(input.options));
  const ingestKey = batchIngestKey(input.batchId, planned.row.id);
  // Each row has its own schema, because some sources need newer workers than others.
  const {
    account,
    queuePrefix,
    options,
    ingestKey: _derivable,
    ...own
  } = uploadInput({
    account: service.account,
    request: { ...request, ingestKey, options: uploadOptions(input) },
    queuePrefix: input.queuePrefix,
    serviceOptions: service.options,
  });
  // Digest of the source as the manifest names it. Sealed URLs with different paths can look the same.
  const digest = inputDigest({ ...own, source: request.source });
  return { upload: { input: own, inputDigest: digest }, shared: { account, queuePrefix, options } };
}
