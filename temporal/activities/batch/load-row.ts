import { MediaServiceError } from '../../../api/errors';
import { isRetryable } from '../../../api/retry/retryable';
import type { UploadOptions } from '../../../api/upload/request/upload-request';
import type { StepFailure } from '../../../api/upload/upload-steps';
import { rowRequest } from '../../../manifest/row-request';
import type { PageRow } from '../../batch/page-rows';
import { openedRow } from '../../batch/planned-row';
import { rowContextOf } from '../../batch/row-context';
import { inputDigest } from '../../client/input-digest';
import { uploadInput } from '../../client/upload-input';
import type { PageInput } from '../../contract/batch';
import { batchIngestKey } from '../../contract/batch-ids';
import type { ForAccount, UploadWorkflowInput } from '../../contract/upload';
import { accountOf, type ActivityDeps } from '../context/activity-deps';

type Input = ForAccount<Pick<PageInput, 'queuePrefix' | 'batchId' | 'options'>>;

/** The upload of a row, or why it can't be uploaded. */
export type LoadedRow =
  { readonly upload: UploadWorkflowInput; readonly inputDigest: string } | { readonly failure: StepFailure };

/** Rejects with a temporary error: another worker may be able to open the seal. */
export function loadRow(deps: ActivityDeps, input: Input, { planned }: PageRow): LoadedRow {
  const { service, sealKeys } = accountOf(deps, input.accountId);
  try {
    const request = rowRequest(openedRow(planned, sealKeys), rowContextOf(input.options));
    const upload = uploadInput({
      account: service.account,
      request: {
        ...request,
        ingestKey: batchIngestKey(input.batchId, planned.row.id),
        options: uploadOptions(input),
      },
      queuePrefix: input.queuePrefix,
      serviceOptions: service.options,
    });
    const { account: _account, queuePrefix: _prefix, options: _options, ingestKey: _key, ...own } = upload;
    // Digest of the source as the manifest names it. Sealed URLs with different paths can look the same.
    return { upload, inputDigest: inputDigest({ ...own, source: request.source }) };
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
