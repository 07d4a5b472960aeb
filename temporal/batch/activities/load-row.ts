import { MediaServiceError } from '../../../api/errors';
import { given } from '../../../api/json';
import { isRetryable } from '../../../api/retry';
import type { StepFailure } from '../../../api/upload/types';
import { rowRequest } from '../../../manifest/row-request';
import { uploadNameOf } from '../files/result-line';
import type { PageRow } from '../files/page-journal';
import { openedRow, rowContextOf } from '../files/planned-row';
import { inputDigest } from '../../upload/client/input-digest';
import { uploadInput } from '../../upload/client/upload-input';
import type { PageStep } from '../types';
import { batchIngestKey } from '../ids';
import type { UploadWorkflowInput } from '../../upload/types';
import { accountOf } from '../../worker/activity-deps';
import type { ActivityDeps } from '../../worker/activity-deps';

type Input = Pick<PageStep, 'accountId' | 'queuePrefix' | 'batchId' | 'options'>;

/** The upload of a row, or why it can't be uploaded. */
export type LoadedRow =
  { readonly upload: UploadWorkflowInput; readonly inputDigest: string } | { readonly failure: StepFailure };

/** Rejects with a temporary error: another worker may be able to open the seal. */
export function loadRow(deps: ActivityDeps, input: Input, row: PageRow): LoadedRow {
  const { service, sealKeys } = accountOf(deps, input.accountId);
  const { planned } = row;
  try {
    const request = rowRequest(openedRow(planned, sealKeys), rowContextOf(input.options));
    const upload = uploadInput({
      account: service.account,
      request: {
        ...request,
        ingestKey: batchIngestKey(input.batchId, uploadNameOf(row)),
        options: input.options.upload ?? {},
      },
      queuePrefix: input.queuePrefix,
      serviceOptions: service.options,
    });
    const { account: _account, queuePrefix: _prefix, options: _options, ingestKey: _key, ...own } = upload;
    // Digest of the source as the manifest names it. Sealed URLs with different paths can look the same.
    const digest = inputDigest({ ...own, source: request.source });
    // What earlier attempts and rounds left of the row.
    const { session: earlier, startPending = row.result?.startPending } = row;
    return { upload: { ...upload, ...given({ earlier, startPending }) }, inputDigest: digest };
  } catch (error) {
    if (!(error instanceof MediaServiceError) || isRetryable(error)) throw error;
    return { failure: error };
  }
}
