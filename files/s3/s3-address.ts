import { ValidationError } from '../../api/errors';
import type { S3Object } from './s3-objects';

type Address = Pick<S3Object, 'bucket' | 'key'>;

/** Returns `s3://bucket/key`, as people write it. */
export function s3Address({ bucket, key }: Address): string {
  return `s3://${bucket}/${key}`;
}

/**
 * Reads `s3://bucket/key`; the key may be empty. Undefined for any other text. Throws a `ValidationError` on `field` for
 * an address without a bucket.
 */
export function parseS3Address(text: string, field: string): Address | undefined {
  const [address, bucket = '', key = ''] = /^s3:\/\/([^/]*)\/?(.*)$/is.exec(text.trim()) ?? [];
  if (address === undefined) return undefined;
  if (/^[a-z0-9][a-z0-9._-]+$/i.test(bucket)) return { bucket, key };
  throw new ValidationError(field, 'the address names no bucket', 'Write s3://bucket/key.');
}
