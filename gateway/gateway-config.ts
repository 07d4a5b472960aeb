import type { FileLocation } from '../files/file-location';
import type { ListenAddress } from '../temporal/worker/health-server';
import type { WorkerConfig } from '../temporal/worker/worker-config';

type Shared = Pick<WorkerConfig, 'temporal' | 'accounts' | 'queuePrefix' | 's3' | 'logLevel'>;

/** The whole configuration of the HTTP door. Plain data: `cli/commands/gateway` builds it from the environment. */
export interface GatewayConfig extends Shared {
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
  readonly limits?: Partial<typeof LIMITS>;
}

/** What the gateway shares with the worker of its process. Without a spool folder, it takes no files. */
export type LocalWorker = Pick<WorkerConfig, 'host' | 'roots' | 'spoolDir'> &
  Required<Pick<WorkerConfig, 'outputRoots'>>;

/** The longest time that one request waits for an end. */
export const MAX_WAIT_SECONDS = 60;
/** After a stop, requests get this time to end. */
export const DRAIN_MS = 5_000;

/** What clients may do, unless a test says otherwise. */
const LIMITS = {
  /** A JSON body; a batch's rows in it are sent through Temporal, which takes 1.8 MB of them. */
  bodyBytes: 2_000_000,
  connections: 2_000,
  /** Requests that wait for an end at the same time. */
  openWaits: 1_000,
  /** Requests that are being answered at the same time, without those that wait for an end. */
  answering: 128,
  /** Files that are being received at the same time. */
  receiving: 32,
  /** Requests of one token, or of one address without a token, per second, and how many may come at once. */
  requestsPerSecond: 500,
  requestsAtOnce: 1_000,
  /** How long a client may take for its headers, for a JSON body, and for the rest of a refused body. */
  receiveMs: 10_000,
  /** A connection on which nothing moves for this long is closed. */
  idleMs: 120_000,
  /** So much of the disk stays free when files are received. */
  freeBytes: 1_000_000_000,
};

export function limitsOf({ limits }: Pick<GatewayConfig, 'limits'>): typeof LIMITS {
  return { ...LIMITS, ...limits };
}
