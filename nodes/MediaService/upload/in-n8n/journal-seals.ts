import type { UrlSeals } from '../../../../api/upload/direct/journal/journaled-steps';
import { partUrlPurpose, seal, sealKeyOf, unseal } from '../../../../temporal/seal';

/** Pre-signed URLs in a journal are sealed as they are in a workflow's history: by a key made of the account's secret key. */
export function urlSeals(secretKey: string): UrlSeals {
  const key = sealKeyOf(secretKey);
  return {
    seal: (uploadId, url) => ({ ...url, url: seal(key, url.url, partUrlPurpose(uploadId, url.partNumber)) }),
    open(uploadId, url) {
      try {
        return { ...url, url: unseal(key, url.url, partUrlPurpose(uploadId, url.partNumber)) };
      } catch {
        return undefined;
      }
    },
  };
}
