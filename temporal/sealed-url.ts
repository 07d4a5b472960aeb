import { MediaServiceError } from '../api/errors';
import type { PartToSend } from '../api/upload/parts/send-part';
import type { PartUrl } from '../api/upload/upload-steps';
import type { Sealed } from './upload/types';
import { partUrlPurpose, seal, unseal } from './seal';
import type { SealKeys } from './seal';

/** Seals a part's URL, so that it may enter a history. `start-sessions` and `send-parts` do. */
export function sealedUrl(keys: SealKeys, uploadId: string, url: PartUrl<string>): PartUrl<Sealed> {
  return { ...url, url: seal(keys, url.url, partUrlPurpose(uploadId, url.partNumber)) };
}

/**
 * The plain URL of a part, for `send-parts`: the first of the sealed URLs that opens. If none opens because the
 * account's secret was changed, `unopened` says why, and the URL counts as expired. Empty if there is no URL.
 */
export function openedUrl(
  keys: SealKeys,
  uploadId: string,
  sealed: readonly (PartUrl | undefined)[],
): Pick<PartToSend, 'url' | 'unopened'> {
  let unopened: MediaServiceError | undefined;
  for (const one of sealed) {
    if (one === undefined) continue;
    try {
      const url = unseal(keys, one.url, partUrlPurpose(uploadId, one.partNumber));
      return { url: { ...one, url } };
    } catch (error) {
      if (!(error instanceof MediaServiceError)) throw error;
      unopened ??= error;
    }
  }
  return unopened === undefined ? {} : { unopened };
}
