import type { NamedSecrets } from '../../named-secrets';
import type { S3Objects } from '../../s3/s3-objects';
import type { Transport } from '../../transport/transport';
import type { PathSource } from './source';

/** What this process may read, and how. */
export interface SourceAccess {
  /** Folders that path sources may lie in, absolute. Empty: no path source is allowed. */
  readonly roots: readonly string[];
  /** Loopback and private hosts that http sources may lie on, as `host` or `host:port`; public ones need no entry. */
  readonly sourceHosts: readonly string[];
  readonly transport: Transport;
  /** Opens the URL of an http source, however it travels. */
  unseal(url: unknown): string;
  /** Throws unless the source's `handOverProof` shows that its file was handed over. Unset: nothing shows it here, and no handed-over file is deleted. */
  proveHandOver?(source: PathSource): void;
  /** Where sources without Range are copied to. Unset: those are refused. */
  readonly spoolDir?: string;
  /** Called before something is copied there; rejects if the folder must not be used. Unset: it may. */
  prepareSpool?(): Promise<void>;
  /** Unset: S3 sources are refused. */
  readonly s3?: S3Objects;
  /** Unset: sources that name a secret are refused. */
  readonly secrets?: NamedSecrets;
}
