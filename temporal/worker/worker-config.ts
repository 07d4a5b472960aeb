import type { WorkerDeploymentVersion } from '@temporalio/common';
import type { TemporalAddress } from '../client/temporal-network';
import type { ServedAccount } from '../../api/account';
import type { ListenAddress } from './health-server';
import type { S3Settings } from '../../files/s3/s3-objects';

/** The whole configuration of a worker. Plain data: `settings/` builds it from the environment. */
export interface WorkerConfig {
  readonly temporal: TemporalAddress;
  /** One entry for each account that this worker serves. */
  readonly accounts: readonly ServedAccount[];
  /** Default `media-service`. */
  readonly queuePrefix?: string;
  /** This machine's name in queues and path sources. Must stay the same after a restart. */
  readonly host: string;
  /** Folders from which path sources may be read, absolute. They must exist when the worker starts. */
  readonly roots: readonly string[];
  /** Hosts that source URLs may use although their addresses are private or loopback. Default none. */
  readonly sourceHosts?: readonly string[];
  /**
   * Folder to which sources without Range are copied, absolute. It must exist, and is cleaned up at the start. Unset:
   * such sources are refused.
   */
  readonly spoolDir?: string;
  /** Folders to which batches and reports may be written, absolute. Default none. */
  readonly outputRoots?: readonly string[];
  /** How to reach S3 sources and locations. Default: Amazon's S3, configured by AWS's environment variables. */
  readonly s3?: S3Settings;
  /** A JSON file of secrets by name, or a folder with a file for each. Unset: there are none. */
  readonly secrets?: string;
  readonly slots?: Partial<WorkerSlots>;
  /** Max bytes per second to storage, over all parts of this process. Unset: no limit. */
  readonly bandwidth?: number;
  /** Set: worker versioning. Unset: this worker takes any workflow. */
  readonly version?: WorkerDeploymentVersion;
  /** Where /healthz and /readyz are answered. Unset: nowhere. */
  readonly health?: ListenAddress;
  /** Where /metrics is answered. Unset: nothing is counted. The first worker of a process decides. */
  readonly metrics?: ListenAddress;
  /** How long running activities may continue after the signal to stop, ms. Default 60,000. */
  readonly shutdownGraceMs?: number;
  /** Default `info`. */
  readonly logLevel?: LogLevel;
}

/** Max activities at once, per account and queue. */
export interface WorkerSlots {
  /** Slots for service calls. Default 40. */
  readonly control: number;
  /** Parts of sources that any worker can read, and as many of this machine's files. Default: by memory, at most 8. */
  readonly parts: number;
  /** Pages of batches. Default 8. */
  readonly pages: number;
  /** Rows of batches that are uploaded at once, over all accounts. Default 128. */
  readonly rows: number;
}

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error';

export const DEFAULT_SHUTDOWN_GRACE_MS = 60_000;
