import type { UrlSeals } from '../../../../api/upload/direct/journal/journaled-steps';
import { partUrlPurpose, seal, sealKeysOf, unseal } from '../../../../temporal/seal';

/**
 * Seals the pre-signed URLs in a journal as in a workflow's history: with a key derived from the account's secret key.
 */
export function urlSeals(secretKey: string): UrlSeals {
  const keys = sealKeysOf(secretKey);
  return {
    seal: (uploadId, url) => ({ ...url, url: seal(keys, url.url, partUrlPurpose(uploadId, url.partNumber)) }),
    open(uploadId, url) {
      try {
        return { ...url, url: unseal(keys, url.url, partUrlPurpose(uploadId, url.partNumber)) };
      } catch {
        return undefined;
      }
    },
  };
}
