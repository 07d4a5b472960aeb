import { setTimeout } from 'node:timers/promises';

/** Options that have a default. Flags of the command set some of them. */
const DEFAULTS = {
  /** Port for login and searches. Upload operations get the next port, storage the one after. 0: any three. */
  port: 0,
  /** Maximum number of URLs that `start` returns. */
  initialUrls: 120,
  /** Whether clients can request additional URLs. */
  additionalUrls: true,
  /** Time from the accepted `complete` to COMPLETED, ms. */
  processingMs: 300,
  /** Time from `start` until search finds its media, ms. */
  searchLagMs: 100,
  /** Extra time of every service call, ms. */
  latencyMs: 0,
  /** Every N-th call of the service takes 10 s more. 0: none. */
  slowEvery: 0,
  /** The service's clock, epoch ms. */
  now: Date.now,
  /** How work takes its time. Ends early when the signal aborts. */
  takeTime: async (ms: number, signal: AbortSignal): Promise<void> => {
    // The wait ends when the simulator closes.
    await setTimeout(ms, undefined, { signal }).catch(() => undefined);
  },
};

export interface SimulatorOptions extends Readonly<Partial<typeof DEFAULTS>> {
  /** PEM of a private key and its certificate. All three servers then use https. Default: http. */
  readonly tls?: TlsOptions;
  /** A real S3 server: storage is a gateway in front of it. Default: parts are in a temporary folder. */
  readonly s3?: S3Options;
  /** Faults in the form `NAME[:COUNT][:key=value,…]`, see faults.ts. */
  readonly faults?: readonly string[];
  /** Names from shapes.ts. */
  readonly shapes?: readonly string[];
  /** Seed data. Default 250 media and 2,500 deliveries. */
  readonly seed?: { readonly media?: number; readonly deliveries?: number };
  readonly account?: Partial<SimulatorAccount>;
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
