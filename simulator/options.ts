import { setTimeout } from 'node:timers/promises';

/** Options of a simulator. Every field has a default. Flags of the command set some of them. */
export interface SimulatorOptions {
  /** Address to listen on. Default 127.0.0.1. */
  readonly host?: string;
  /** Port for login and searches. Upload operations get the next port, storage the one after. Default 0: any three. */
  readonly port?: number;
  /** PEM of a private key and its certificate. All three servers then use https. Default: http. */
  readonly tls?: TlsOptions;
  /** `builtin` (default) keeps parts in a temporary folder; `s3` is a gateway in front of a real S3 server. */
  readonly storage?: 'builtin' | 's3';
  /** Required with storage `s3`. */
  readonly s3?: S3Options;
  /** Faults in the form `NAME[:COUNT][:key=value,…]`, see faults.ts. */
  readonly faults?: readonly string[];
  /** Names from shapes.ts. */
  readonly shapes?: readonly string[];
  /** Lifetime of an access token, ms. Default 30 minutes. */
  readonly tokenTtlMs?: number;
  /** Lifetime of a pre-signed URL, ms, rounded up to whole seconds. Default 1 hour. */
  readonly urlTtlMs?: number;
  /** Maximum number of URLs that `start` returns. Default 120: all. */
  readonly initialUrls?: number;
  /** Whether clients can request additional URLs. Default true. */
  readonly additionalUrls?: boolean;
  /** Time from the accepted `complete` to COMPLETED, ms. Default 300. */
  readonly processingMs?: number;
  /** Time from `start` until search finds its media, ms. Default 100. */
  readonly searchLagMs?: number;
  /** Extra time of every service call, ms. Default 0. */
  readonly latencyMs?: number;
  /** Every N-th call of the service takes 10 s more. Default 0: none. */
  readonly slowEvery?: number;
  /** Max parts that `start` accepts. Default 120. */
  readonly maxParts?: number;
  /** Seed data. Default 250 media and 2,500 deliveries. */
  readonly seed?: { readonly media?: number; readonly deliveries?: number };
  readonly account?: Partial<SimulatorAccount>;
  /** The service's clock, epoch ms. Default Date.now. */
  readonly now?: () => number;
  /** How calls take their extra time. Ends early when the signal aborts. Default: a timer. */
  readonly takeTime?: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface TlsOptions {
  readonly key: string | Buffer;
  readonly cert: string | Buffer;
}

export interface S3Options {
  /** As `http://127.0.0.1:7070`. */
  readonly endpoint: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** Default us-east-1. */
  readonly region?: string;
  /** Created if it does not exist. Default `media-service`. */
  readonly bucket?: string;
}

export interface SimulatorAccount {
  readonly apiKey: string;
  readonly secretKey: string;
  readonly externalId: string;
}

const DEFAULT_ACCOUNT: SimulatorAccount = {
  apiKey: 'demo-api-key',
  secretKey: 'demo-secret-key',
  externalId: 'demo-studio',
};

/** More sub-accounts of the same operator's account. The first sub-account is the account's own external id. */
const OTHER_SUB_ACCOUNTS = ['north-studio', 'south-studio', 'büro-münchen'] as const;

const DEFAULTS = {
  host: '127.0.0.1',
  port: 0,
  storage: 'builtin' as 'builtin' | 's3',
  tokenTtlMs: 30 * 60_000,
  urlTtlMs: 60 * 60_000,
  initialUrls: 120,
  additionalUrls: true,
  processingMs: 300,
  searchLagMs: 100,
  latencyMs: 0,
  slowEvery: 0,
  maxParts: 120,
  now: Date.now,
  takeTime: async (ms: number, signal: AbortSignal): Promise<void> => {
    // The wait ends when the simulator closes.
    await setTimeout(ms, undefined, { signal }).catch(() => undefined);
  },
};

export type Settings = Readonly<typeof DEFAULTS> & {
  readonly seed: { readonly media: number; readonly deliveries: number };
  readonly account: SimulatorAccount;
  readonly subAccounts: readonly string[];
};

export function settingsOf(options: SimulatorOptions): Settings {
  const account = { ...DEFAULT_ACCOUNT, ...options.account };
  return {
    ...DEFAULTS,
    ...options,
    seed: { media: 250, deliveries: 2500, ...options.seed },
    account,
    subAccounts: [account.externalId, ...OTHER_SUB_ACCOUNTS],
  };
}
