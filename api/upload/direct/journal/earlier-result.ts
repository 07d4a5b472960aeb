import type { UploadRequest, UploadResult } from '../../request/upload-request';
import type { UploadSteps } from '../../upload-steps';
import { differsFrom, sourceDiffers } from './journal-failure';
import type { JournalRules } from './journaled-steps';
import { requireSamePart } from './same-part';

/**
 * Returns how the upload under this key ended. First it checks that this run asks for the same media fields and the
 * same file, part by part. Undefined if none ended. It sends no request to the service. Rejects with `InputDiffers` or
 * `SourceChanged`.
 */
export async function earlierResult(
  { source }: Pick<UploadRequest, 'source'>,
  steps: Pick<UploadSteps<string>, 'pinSource' | 'releaseSource'>,
  { found, again, about, md5Of }: Pick<JournalRules, 'found' | 'again' | 'about' | 'md5Of'>,
): Promise<UploadResult | undefined> {
  if (again || found?.result === undefined) return undefined;
  const { uploadId } = found.result;
  if (found.meaning !== about.meaning) throw differsFrom(uploadId);
  const pinned = await steps.pinSource({ source });
  try {
    if (pinned.bytes !== found.bytes) throw sourceDiffers(uploadId, pinned.fileName);
    for (const part of found.parts) await requireSamePart(part, { uploadId, source: pinned, md5Of });
    return found.result;
  } finally {
    // A URL without Range was copied for reading. The sweep of the spool folder removes a copy that stays.
    await steps.releaseSource({ source: pinned.source }).catch(() => undefined);
  }
}
