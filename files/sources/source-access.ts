import type { HttpAccess } from '../../api/upload/sources/http/http-request';
import type { S3Source } from '../../api/upload/sources/source';
import type { S3Objects } from '../s3/s3-client';

/** What this process may read, and how. */
export interface SourceAccess extends Omit<HttpAccess, 'checkHost'> {
  /** Loopback and private hosts that http sources may use, as `host` or `host:port`. Public hosts need no entry. */
  readonly sourceHosts: readonly string[];
  /** Absolute folders that may contain path sources. Empty: no path source is allowed. */
  readonly roots: readonly string[];
  /** Throws unless the object's `deleteProof` is valid. Unset: this process can't check it, and deletes no object. */
  proveOwn?(object: S3Source): void;
  /** The folder for copies of sources without Range. Unset: such sources are refused. */
  readonly spoolDir?: string;
  /** Name of this machine in task queues, so that only its workers read its copies. Unset outside of Temporal. */
  readonly host?: string;
  /** Unset: S3 sources are refused. */
  readonly s3?: S3Objects;
}

/** Sources are read only from hosts that `checkSourceHost` allows. */
export type CheckedAccess = SourceAccess & HttpAccess;

export type ReleaseAccess = Pick<SourceAccess, 'spoolDir' | 'proveOwn' | 's3'>;
