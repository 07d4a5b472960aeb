import { MediaServiceError } from '../api/errors';
import type { PartToSend } from '../api/upload/part/send-part';
import type { PartUrl } from '../api/upload/types';
import type { Sealed } from './upload/types';
import { partUrlPurpose, seal, unseal } from './seal';
import type { SealKeys } from './seal';

/** Seals a part's URL, so that it may enter a history. The activities `startSession` and `sendParts` do. */
export function sealedUrl(keys: SealKeys, uploadId: string, url: PartUrl<string>): PartUrl<Sealed> {
  return { ...url, url: seal(keys, url.url, partUrlPurpose(uploadId, url.partNumber)) };
}

/**
 * The plain URL of a part, for `sendParts`. If it does not open because the account's secret was changed, `unopened`
 * says why, and the URL counts as expired. Empty if there is no URL.
 */
export function openedUrl(
  keys: SealKeys,
  uploadId: string,
  sealed: PartUrl | undefined,
): Pick<PartToSend, 'url' | 'unopened'> {
  if (sealed === undefined) return {};
  try {
    const url = unseal(keys, sealed.url, partUrlPurpose(uploadId, sealed.partNumber));
    return { url: { ...sealed, url } };
  } catch (error) {
    if (!(error instanceof MediaServiceError)) throw error;
    return { unopened: error };
  }
}
