import { parseS3Address } from '../../../../files/s3/s3-objects';
import { ValidationError } from '../../../errors';
import type { AddressOptions, SourceRules } from '../read-source';
import { lastSegment } from '../source';
import type { S3Source } from '../source';

export const S3_RULES: SourceRules<S3Source> = {
  reportsType: true,
  address: { schemes: ['s3'], parse },
  check,
  label: ({ bucket, key }) => `s3://${bucket}/${lastSegment(key)}`,
  fileName: ({ key }) => lastSegment(key),
  /** Whoever pays, it is the same object. */
  meaning: ({ bucket, key, versionId }) => [bucket, key, versionId],
};

function check({ bucket, key }: S3Source): void {
  if (typeof bucket !== 'string' || bucket.trim() === '') {
    throw new ValidationError('source.bucket', 'the name of the bucket is empty');
  }
  if (typeof key !== 'string' || key === '' || key.endsWith('/')) {
    throw new ValidationError(
      'source.key',
      'the source names a bucket or a folder, but no object',
      'Write it as s3://bucket/key.',
    );
  }
}

function parse(text: string, { requesterPays }: AddressOptions): S3Source {
  const { bucket, key } = parseS3Address(text, 'source') ?? { bucket: '', key: '' };
  const source: S3Source = { kind: 's3', bucket, key, ...(requesterPays === true ? { requesterPays } : {}) };
  check(source);
  return source;
}
