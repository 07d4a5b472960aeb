import type { S3Objects } from '../api/s3/s3-objects';

/** Which places this process may read and write, and how. */
export interface PlaceAccess {
  /** Folders that may be written to (and read back), absolute. Empty: none. */
  readonly outputRoots: readonly string[];
  /** Folders that may be read besides, absolute. */
  readonly roots: readonly string[];
  readonly s3: S3Objects;
}
