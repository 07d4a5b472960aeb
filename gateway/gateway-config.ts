import type { ServedAccount } from '../api/account';
import type { FileLocation } from '../files/file-location';
import type { S3Settings } from '../files/s3/s3-objects';
import type { TemporalAddress } from '../temporal/client/temporal-network';
import type { ListenAddress } from '../temporal/worker/health-server';
import type { LogLevel } from '../temporal/worker/worker-config';

/** The whole configuration of the HTTP door. Plain data: `cli/commands/gateway` builds it from the environment. */
export interface GatewayConfig {
  readonly temporal: TemporalAddress;
  /** Accounts for which uploads are started, at least one. */
  readonly accounts: readonly ServedAccount[];
  /** Default `media-service`. */
  readonly queuePrefix?: string;
  readonly listen: ListenAddress;
  /** A JSON file of tokens. Unset: every request on loopback may do everything. */
  readonly tokensFile?: string;
  /** PEM files. Unset: plain http. */
  readonly tls?: { readonly certFile: string; readonly keyFile: string };
  /** The worker in the same process. Unset: the gateway runs alone. */
  readonly worker?: LocalWorker;
  /** Hosts that ends may be posted to, as `host` or `host:port`. Default none. */
  readonly postTo?: readonly string[];
  /** An S3 prefix for files that clients send. Default: the worker's spool folder. */
  readonly sentFiles?: FileLocation;
  readonly keepLimits?: Partial<KeepLimits>;
  /** How to reach S3. Default: as for a worker. */
  readonly s3?: S3Settings;
  /** Default `info`. */
  readonly logLevel?: LogLevel;
}

/** What the gateway shares with the worker of its process. */
export interface LocalWorker {
  readonly host: string;
  /** Folders that files may be read from, absolute. */
  readonly roots: readonly string[];
  /** Folders that results may be written to, absolute. */
  readonly outputRoots: readonly string[];
  /** Folder for files that clients send. Unset: it takes none. */
  readonly spoolDir?: string;
}

/** Limits of files that clients send. */
export interface KeepLimits {
  /** Default: what an upload can have. */
  readonly maxBytes: number;
  /** So much of the disk stays free. Default 1 GB. */
  readonly minFreeBytes: number;
  /** A stream of which nothing comes for this long is cut. Default 30 s. */
  readonly silentMs: number;
}

/** A JSON body; a batch's rows in it are sent through Temporal, which takes 1.5 MB of them. */
export const MAX_BODY_BYTES = 2_000_000;
/** All headers of a request together. */
export const MAX_HEADER_BYTES = 16_384;
/** Ids are parts of addresses. */
export const MAX_ID_LENGTH = 1_000;
export const MAX_CONNECTIONS = 2_000;
/** Requests that wait for an end at the same time. */
export const MAX_OPEN_WAITS = 1_000;
/** The longest time that one request waits for an end. */
export const MAX_WAIT_SECONDS = 60;
/** Requests that are being answered at the same time, without those that wait for an end. */
export const MAX_ANSWERING = 128;
/** Files that are being received at the same time. */
export const MAX_RECEIVING = 32;
/** Requests of one token per second, and how many may come at once. */
export const REQUESTS_PER_SECOND = 500;
export const REQUESTS_AT_ONCE = 1_000;
/** Refused requests of one address per second, and how many may come at once. */
export const REFUSALS_PER_SECOND = 1;
export const REFUSALS_AT_ONCE = 20;
/** How long a client may take for its headers, and for a JSON body. */
export const RECEIVE_MS = 10_000;
/** A connection on which nothing moves for this long is closed. */
export const IDLE_MS = 120_000;
/** How long the rest of a refused body is read, so that the client sees the answer. */
export const LINGER_MS = 5_000;
/** After a stop, requests get this time to end. */
export const DRAIN_MS = 5_000;
