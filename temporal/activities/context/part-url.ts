import type { PartUrl } from '../../../api/upload/upload-steps';
import type { Sealed } from '../../contract';
import { partUrlPurpose, seal, unseal } from '../../seal';
import type { SealKey } from '../../seal';

/** A part's URL as it may enter a history. */
export function sealedUrl(key: SealKey, uploadId: string, url: PartUrl<string>): PartUrl<Sealed> {
  return { ...url, url: seal(key, url.url, partUrlPurpose(uploadId, url.partNumber)) };
}

/** The plain URL; undefined where its seal does not open (a rotated secret): that counts as expired, and a fresh one is asked for. */
export function openedUrl(
  key: SealKey,
  uploadId: string,
  url: PartUrl<Sealed> | undefined,
): PartUrl<string> | undefined {
  if (url === undefined) return undefined;
  try {
    return { ...url, url: unseal(key, url.url, partUrlPurpose(uploadId, url.partNumber)) };
  } catch {
    return undefined;
  }
}
