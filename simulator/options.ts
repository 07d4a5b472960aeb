/** How a simulator is to be. Every field has a default; the CLI's flags map on them one by one. */
export interface SimulatorOptions {
  /** Address to listen on. Default 127.0.0.1. */
  readonly host?: string;
  /** Port of login and searches; the upload operations get the next one, storage the one after. Default 0: any three. */
  readonly port?: number;
  /** `builtin` (default) keeps parts in a temporary folder; `s3` is a gateway in front of a real S3 server. */
  readonly storage?: 'builtin' | 's3';
  /** Required with storage `s3`. */
  readonly s3?: S3Options;
  /** As `NAME[:COUNT][:key=value,…]`, see faults.ts. */
  readonly faults?: readonly string[];
  /** Names of shapes.ts. */
  readonly shapes?: readonly string[];
  /** Life of an access token, ms. Default 30 minutes. */
  readonly tokenTtlMs?: number;
  /** Life of a pre-signed URL, ms, rounded up to whole seconds. Default 1 hour. */
  readonly urlTtlMs?: number;
  /** How many URLs `start` returns at most. Default 120: all. */
  readonly initialUrls?: number;
  /** Whether additional URLs can be asked for. Default true. */
  readonly additionalUrls?: boolean;
  /** From the acceptance of `complete` to COMPLETED, ms. Default 300. */
  readonly processingMs?: number;
  /** What every call of the service takes besides its work, ms. Default 0. */
  readonly latencyMs?: number;
  /** Each so-many-th call of the service takes 10 s more. Default 0: none. */
  readonly slowEvery?: number;
  /** Most parts that `start` accepts. Default 120. */
  readonly maxParts?: number;
  /** Seed data. Default 250 media and 2,500 deliveries. */
  readonly seed?: { readonly media?: number; readonly deliveries?: number };
  readonly account?: Partial<SimulatorAccount>;
  /** The service's clock, epoch ms. Default Date.now. */
  readonly now?: () => number;
}

export interface S3Options {
  /** As `http://127.0.0.1:7070`. */
  readonly endpoint: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** Default us-east-1. */
  readonly region?: string;
  /** Made when it does not exist. Default `media-service`. */
  readonly bucket?: string;
}

export interface SimulatorAccount {
  readonly apiKey: string;
  readonly secretKey: string;
  readonly externalId: string;
}

export const DEFAULT_ACCOUNT: SimulatorAccount = {
  apiKey: 'demo-api-key',
  secretKey: 'demo-secret-key',
  externalId: 'demo-studio',
};

/** Further sub-accounts of the same operator's account; the first one is the account's own external id. */
export const OTHER_SUB_ACCOUNTS = ['north-studio', 'south-studio', 'büro-münchen'] as const;

export type Settings = Required<Omit<SimulatorOptions, 's3' | 'seed' | 'account' | 'faults' | 'shapes'>> & {
  readonly seed: { readonly media: number; readonly deliveries: number };
  readonly account: SimulatorAccount;
  readonly subAccounts: readonly string[];
};

/** @throws RangeError naming the option that is out of its bounds. */
export function settingsOf(options: SimulatorOptions): Settings {
  const account = { ...DEFAULT_ACCOUNT, ...options.account };
  const settings: Settings = {
    host: options.host ?? '127.0.0.1',
    port: options.port ?? 0,
    storage: options.storage ?? 'builtin',
    tokenTtlMs: options.tokenTtlMs ?? 30 * 60_000,
    urlTtlMs: options.urlTtlMs ?? 60 * 60_000,
    initialUrls: options.initialUrls ?? 120,
    additionalUrls: options.additionalUrls ?? true,
    processingMs: options.processingMs ?? 300,
    latencyMs: options.latencyMs ?? 0,
    slowEvery: options.slowEvery ?? 0,
    maxParts: options.maxParts ?? 120,
    now: options.now ?? Date.now,
    seed: { media: options.seed?.media ?? 250, deliveries: options.seed?.deliveries ?? 2500 },
    account,
    subAccounts: [account.externalId, ...OTHER_SUB_ACCOUNTS],
  };
  requireWhole('port', settings.port, { least: 0, most: 65_533 });
  requireWhole('tokenTtlMs', settings.tokenTtlMs, { least: 1 });
  requireWhole('urlTtlMs', settings.urlTtlMs, { least: 1, most: 7 * 24 * 60 * 60_000 });
  requireWhole('initialUrls', settings.initialUrls, { least: 0 });
  requireWhole('processingMs', settings.processingMs, { least: 0 });
  requireWhole('latencyMs', settings.latencyMs, { least: 0 });
  requireWhole('slowEvery', settings.slowEvery, { least: 0 });
  requireWhole('maxParts', settings.maxParts, { least: 1, most: 120 });
  requireWhole('seed.media', settings.seed.media, { least: 0 });
  requireWhole('seed.deliveries', settings.seed.deliveries, { least: 0 });
  return settings;
}

function requireWhole(
  name: string,
  value: number,
  { least, most = Number.MAX_SAFE_INTEGER }: { least: number; most?: number },
): void {
  if (!Number.isInteger(value) || value < least || value > most) {
    throw new RangeError(`${name} is ${value}; it must be a whole number from ${least} to ${most}.`);
  }
}
