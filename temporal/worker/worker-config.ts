import type { Account, AccountLimits, ServiceOptions } from '../../api/account/account';
import type { S3Settings } from '../../api/s3/s3-objects';
import type { StorageLimits } from '../activities/context/storage-turns';
import type { TemporalAddress } from '../client/connect';

/** Everything a worker is told. Plain data: `settings/` builds it from the environment. */
export interface WorkerConfig {
  readonly temporal: TemporalAddress;
  /** One entry per account that this worker serves; at least one. */
  readonly accounts: readonly ServedAccount[];
  /** Default `media-service`. */
  readonly queuePrefix?: string;
  /** This machine's name in queues and path sources; must survive a restart. */
  readonly host: string;
  /** Folders that path sources may be read from, absolute; they have to be there when the worker starts. */
  readonly roots: readonly string[];
  /** Hosts of source URLs that are allowed although their addresses are private or loopback. Default none. */
  readonly sourceHosts?: readonly string[];
  /** Where sources without Range are copied to: an absolute folder that is there; swept at start. Unset: they are refused. */
  readonly spoolDir?: string;
  /** Folders that batches and reports may be written to, absolute. Default none. */
  readonly outputRoots?: readonly string[];
  /** Where S3 sources and places are. Default: Amazon's, as the environment of AWS says. */
  readonly s3?: S3Settings;
  /** A JSON file of secrets by name, or a folder with a file for each. Unset: there are none. */
  readonly secrets?: string;
  readonly slots?: Partial<WorkerSlots>;
  /** Set: transfer slots follow memory and CPU of this machine, up to `slots` (default 100). Unset: `slots` alone decide. */
  readonly tuner?: ResourceTargets;
  /** Most bytes per second to storage, over all parts of this process. Unset: no limit. */
  readonly bandwidth?: number;
  /** Most parts begun per second by storage host, over all workers that serve an account of this one. Unset: no limit. */
  readonly storageLimits?: StorageLimits;
  /** Set: worker versioning. Unset: this worker takes any workflow. */
  readonly version?: WorkerVersion;
  /** Where OpenTelemetry traces are sent to. Unset: nowhere. */
  readonly tracesEndpoint?: string;
  /** Port of /healthz, /readyz and /metrics. Unset: no health server. */
  readonly healthPort?: number;
  /** The address or name of this machine that the port is opened at, or `*` for all of its addresses. Default 127.0.0.1. */
  readonly healthHost?: string;
  /** How long running activities may go on after the signal to stop, ms. Default 60,000. */
  readonly shutdownGraceMs?: number;
  /** Default `info`. */
  readonly logLevel?: LogLevel;
}

export interface ServedAccount {
  readonly account: Account;
  readonly options?: ServiceOptions;
  readonly limits?: AccountLimits;
  /** Secret keys that the account had, or will have: they open seals, and sign and seal nothing. */
  readonly previousSecretKeys?: readonly string[];
}

/** Shares of the machine, 0 to 1, that Temporal's resource-based tuner fills. */
export interface ResourceTargets {
  /** Default 0.8. */
  readonly targetMemory?: number;
  /** Default 0.9. */
  readonly targetCpu?: number;
}

export interface WorkerVersion {
  readonly buildId: string;
  /** Default `media-service`. */
  readonly deployment?: string;
}

/** Most activities at once, per account and queue. */
export interface WorkerSlots {
  /** Service calls. Default 40. */
  readonly control: number;
  /** Parts of uploads whose source any worker reads. Default: by memory, at most 8. */
  readonly transfer: number;
  /** Parts of this machine's files. Default: by memory, at most 8. */
  readonly host: number;
}

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error';

export const DEFAULT_CONTROL_SLOTS = 40;
export const DEFAULT_SHUTDOWN_GRACE_MS = 60_000;
