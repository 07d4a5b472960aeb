import { ConfigurationError } from '../../../errors';
import { s3Address } from '../../../s3/s3-objects';
import type { S3Objects } from '../../../s3/s3-objects';
import type { S3Source } from '../source';
import type { SourceAccess } from '../source-access';

export function requireS3({ s3 }: Pick<SourceAccess, 's3'>, source: S3Source): S3Objects {
  if (s3 !== undefined) return s3;
  throw new ConfigurationError(
    's3',
    `${s3Address(source)} cannot be read here: only workers read S3`,
    'Upload through Temporal, or give a pre-signed https address of the object.',
  );
}
