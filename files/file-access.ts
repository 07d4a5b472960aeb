import type { S3Objects } from '../api/s3/s3-objects';

/** Which locations this process may read and write. */
export interface FileAccess {
  /** Absolute folders that may be written (and read back). Empty: none. */
  readonly outputRoots: readonly string[];
  /** Further absolute folders that may be read. */
  readonly roots: readonly string[];
  readonly s3: S3Objects;
}
