import { MediaServiceError } from '../../../api/errors';
import { given } from '../../../api/json';
import { isRetryable } from '../../../api/retry/retryable';
import type { UploadOptions } from '../../../api/upload/request/upload-request';
import { rowRequest } from '../../../manifest/row-request';
import { inputDigest } from '../../client/input-digest';
import { uploadInput } from '../../client/upload-input';
import { batchIngestKey } from '../../contract/batch-ids';
import type { PageInput } from '../../contract/batch';
import type { ForAccount } from '../../contract/upload';
import { accountOf, type AccountDeps, type ActivityDeps } from '../context/activity-deps';
import { openedRow, type PlannedRow } from '../../batch/planned-row';
import type { LoadedRow, SharedInput } from '../../batch/loaded-row';
import type { PageRow } from '../../batch/page-rows';
import { rowContextOf } from '../../batch/row-context';

type Input = ForAccount<Pick<PageInput, 'queuePrefix' | 'batchId' | 'options'>>;

interface LoadedUpload {
  readonly row: LoadedRow;
  readonly pageRow: PageRow;
  readonly shared?: SharedInput;
}

/** The upload of a row, or why it can't be uploaded. */
export function loadRow(deps: ActivityDeps, input: Input, pageRow: PageRow): LoadedUpload {
  const account = accountOf(deps, input.accountId);
  const { line, id, source, media } = pageRow.planned.row;
  const named = { line, id, source, attempts: pageRow.result?.attempts ?? 0 };
  try {
    const { upload, shared } = uploadOf(account, input, pageRow.planned);
    return { pageRow, row: { ...named, upload }, shared };
  } catch (error) {
    // Another worker may be able to open the seal.
    if (!(error instanceof MediaServiceError) || isRetryable(error)) throw error;
    const { code, message, facts } = error;
    const title = given({ title: media.title });
    return { pageRow, row: { ...named, ...title, error: { code, message, facts } } };
  }
}

function uploadOf(
  { service, sealKeys }: AccountDeps,
  input: Input,
  planned: PlannedRow,
): { readonly upload: NonNullable<LoadedRow['upload']>; readonly shared: SharedInput } {
  const request = rowRequest(openedRow(planned, sealKeys), rowContextOf(input.options));
  // Each row has its own schema, because some sources need newer workers than others.
  const {
    account,
    queuePrefix,
    options,
    ingestKey: _derivable,
    ...own
  } = uploadInput({
    account: service.account,
    request: {
      ...request,
      ingestKey: batchIngestKey(input.batchId, planned.row.id),
      options: uploadOptions(input),
    },
    queuePrefix: input.queuePrefix,
    serviceOptions: service.options,
  });
  // Digest of the source as the manifest names it. Sealed URLs with different paths can look the same.
  const digest = inputDigest({ ...own, source: request.source });
  return { upload: { input: own, inputDigest: digest }, shared: { account, queuePrefix, options } };
}

/** All uploads of the batch share its bandwidth. */
function uploadOptions({ accountId, batchId, options }: Input): UploadOptions {
  const { upload = {}, bytesPerSecond } = options;
  if (bytesPerSecond === undefined) return upload;
  return { ...upload, bytesPerSecond, bandwidthGroup: `${accountId}/${batchId}` };
}
