/** What storage's ETag says about the sent bytes. */
type ETagVerdict = 'verified' | 'not-verifiable' | 'mismatch';

interface ETagCheck {
  /** Unquoted. */
  readonly eTag: string;
  /** Hex; undefined: not computed. */
  readonly md5: string | undefined;
  /** Headers of storage's answer, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Compares the MD5 of the sent bytes with the ETag. An ETag is not an MD5 if it is not 32 hex digits, or under SSE-KMS or
 * with a customer's key. Such an ETag can't be verified, which is not a failure.
 */
export function checkETag({ eTag, md5, headers }: ETagCheck): ETagVerdict {
  if (md5 === undefined || !/^[0-9a-f]{32}$/i.test(eTag)) return 'not-verifiable';
  if (eTag.toLowerCase() === md5.toLowerCase()) return 'verified';
  const encryption = headers['x-amz-server-side-encryption'] ?? '';
  const ownKey = headers['x-amz-server-side-encryption-customer-algorithm'] !== undefined;
  return encryption.toLowerCase().startsWith('aws:kms') || ownKey ? 'not-verifiable' : 'mismatch';
}
