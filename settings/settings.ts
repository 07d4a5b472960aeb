import { hostname } from 'node:os';
import type { Account, ServiceOptions } from '../api/account';
import { ConfigurationError } from '../api/errors';
import { given } from '../api/json';
import type { S3Settings } from '../files/s3/s3-objects';
import type { TemporalAddress } from '../temporal/client/temporal-network';
import { DEFAULT_QUEUE_PREFIX } from '../temporal/upload/types';
import { EnvReader } from './env-reader';
import type { Env } from './env-reader';
import { temporalSettingsOf } from './temporal-settings';
import { VARIABLES } from './variables';

/** The variables that are settings as they are. docs/configuration.md says what holds without one. */
const PLAIN = [
  'previousSecretKeys',
  'fileRoots',
  'outputRoots',
  'spoolDir',
  'secrets',
  'accounts',
  'buildId',
  'tuning',
] as const;

type Plain = {
  readonly [Name in (typeof PLAIN)[number]]?: ReturnType<(typeof VARIABLES)[Name]['parse']>;
};

/** The whole configuration of CLI and worker from their environment. */
export interface Settings extends Plain {
  /** The part that is set; `requireAccount` returns the whole account. */
  readonly account: Partial<Account>;
  /** Variables that the account still lacks. */
  readonly missing: readonly string[];
  readonly options: ServiceOptions;
  readonly temporal: TemporalAddress;
  readonly sourceHosts: readonly string[];
  readonly queuePrefix: string;
  /** Name of this machine in task queues. */
  readonly host: string;
  readonly s3: S3Settings;
}

/**
 * Reads every variable of the table in `variables.ts`. A missing variable is not an error here, since a simulator needs
 * no account. Malformed ones are: one `ConfigurationError` names them all, each with an example.
 */
export function readSettings(env: Env = process.env): Settings {
  const { settings, problem } = inspectSettings(env);
  if (problem !== undefined) throw problem;
  return settings;
}

/**
 * The same for a command that continues with the correct settings. Wrong ones count as unset, and `problem` names them.
 */
export function inspectSettings(env: Env = process.env): {
  readonly settings: Settings;
  readonly problem?: ConfigurationError;
} {
  const reader = new EnvReader(env);
  const read = (names: readonly (keyof typeof VARIABLES)[]): object =>
    given(Object.fromEntries(names.map((name) => [name, reader.read<unknown>(VARIABLES[name])])));
  const account: Partial<Account> = read(ACCOUNT);
  const plain: Plain = read(PLAIN);
  const settings: Settings = {
    ...plain,
    account,
    missing: ACCOUNT.filter((name) => account[name] === undefined).map((name) => VARIABLES[name].name),
    options: {
      ...reader.read(VARIABLES.options),
      ...given({ additionalUrls: reader.read(VARIABLES.additionalUrls) }),
    },
    temporal: temporalSettingsOf(env, reader),
    sourceHosts: reader.read(VARIABLES.sourceHosts) ?? [],
    queuePrefix: reader.read(VARIABLES.queuePrefix) ?? DEFAULT_QUEUE_PREFIX,
    host: reader.read(VARIABLES.host) ?? hostname(),
    s3: given({
      endpoint: reader.read(VARIABLES.s3Endpoint),
      buckets: reader.read(VARIABLES.s3Buckets),
    }),
  };
  return { settings, ...given({ problem: reader.problemFound() }) };
}

const ACCOUNT = ['baseUrl', 'uploadUrl', 'apiKey', 'secretKey', 'externalId'] as const;

/** Returns the whole account, or throws one `ConfigurationError` that names every missing variable. */
export function requireAccount({ account, missing, accounts }: Settings): Account {
  const [firstMissing] = missing;
  if (firstMissing === undefined) return account as Account;
  const workers =
    accounts === undefined ? '' : 'Only workers read {accounts}; this command acts for one account. ';
  throw new ConfigurationError(
    firstMissing,
    `Not set: ${missing.join(', ')}.`,
    `${workers}Set the environment variables named above (a secret also as …_FILE, the path of a file that holds it). To try without a service, start \`media-service simulator\`, which prints them.`,
  );
}
