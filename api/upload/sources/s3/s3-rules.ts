import { ValidationError } from '../../../errors';
import type { S3Source } from '../source';
import type { SourceRules } from '../source-kind';
import { lastSegment } from '../source-label';

export const S3_RULES: SourceRules<S3Source> = {
  check({ bucket, key }) {
    if (typeof bucket !== 'string' || bucket.trim() === '') {
      throw new ValidationError('source.bucket', 'the name of the bucket is empty');
    }
    if (typeof key !== 'string' || key === '' || key.endsWith('/')) {
      throw new ValidationError(
        'source.key',
        'the source names no object of the bucket',
        'Write s3://bucket/key.',
      );
    }
  },
  label: ({ bucket, key }) => `s3://${bucket}/${lastSegment(key)}`,
};
