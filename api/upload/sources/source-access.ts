import type { NamedSecrets } from '../../named-secrets';
import type { S3Objects } from '../../../files/s3/s3-objects';
import type { Transport } from '../../transport/transport';
import type { PathSource } from './source';

/** What this process may read, and how. */
export interface SourceAccess {
  /** Absolute folders that may contain path sources. Empty: no path source is allowed. */
  readonly roots: readonly string[];
  /** Loopback and private hosts that http sources may use, as `host` or `host:port`. Public hosts need no entry. */
  readonly sourceHosts: readonly string[];
  readonly transport: Transport;
  /** Opens the URL of an http source, sealed or not. */
  unseal(url: unknown): string;
  /**
   * Throws unless the source's `handOverProof` shows that its file was handed over. Unset: this process can't check it,
   * and deletes no handed-over file.
   */
  proveHandOver?(source: PathSource): void;
  /** The folder for copies of sources without Range. Unset: such sources are refused. */
  readonly spoolDir?: string;
  /** Name of this machine in task queues, so that only its workers read its copies. Unset outside of Temporal. */
  readonly host?: string;
  /** Called before each copy; rejects if the folder must not be used. Unset: no check. */
  prepareSpool?(): Promise<void>;
  /** Unset: S3 sources are refused. */
  readonly s3?: S3Objects;
  /** Unset: sources that name a secret are refused. */
  readonly secrets?: NamedSecrets;
}
