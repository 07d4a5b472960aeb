/** What storage's ETag says about the bytes that were sent. */
export type ETagVerdict = 'verified' | 'not-verifiable' | 'mismatch';

export interface ETagCheck {
  /** Unquoted. */
  readonly eTag: string;
  /** Hex; undefined: not computed. */
  readonly md5: string | undefined;
  /** Of storage's answer, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Holds the MD5 of the sent bytes against the ETag. An ETag that is not 32 hex digits is no MD5, nor is one under SSE-KMS or with a
 * customer's key: those cannot be verified, which is no failure.
 */
export function checkETag({ eTag, md5, headers }: ETagCheck): ETagVerdict {
  if (md5 === undefined || !/^[0-9a-f]{32}$/i.test(eTag)) return 'not-verifiable';
  if (eTag.toLowerCase() === md5.toLowerCase()) return 'verified';
  const encryption = headers['x-amz-server-side-encryption'] ?? '';
  const ownKey = headers['x-amz-server-side-encryption-customer-algorithm'] !== undefined;
  return encryption.toLowerCase().startsWith('aws:kms') || ownKey ? 'not-verifiable' : 'mismatch';
}
