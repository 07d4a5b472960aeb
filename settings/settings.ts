import { hostname } from 'node:os';
import { accountId } from '../api/account';
import type { Account, ServiceOptions } from '../api/account';
import { ConfigurationError } from '../api/errors';
import { given } from '../api/json';
import type { S3Settings } from '../files/s3/s3-objects';
import type { TemporalAddress } from '../temporal/client/temporal-network';
import { EnvReader } from './env-reader';
import type { Env } from './env-reader';
import { temporalSettingsOf } from './temporal-settings';
import type { Tuning } from './value-parsers';
import { VARIABLES } from './variables';

/** The whole configuration of CLI and worker from their environment. */
export interface Settings {
  /** The part that is set; `requireAccount` returns the whole account. */
  readonly account: Partial<Account>;
  /** Variables that the account still lacks. */
  readonly missing: readonly string[];
  readonly options: ServiceOptions;
  /** Earlier keys of the account, see `SealKeys`. */
  readonly previousSecretKeys?: readonly string[];
  readonly temporal: TemporalAddress;
  readonly queuePrefix?: string;
  /** Unset: the folder that the command or its worker runs in. */
  readonly fileRoots?: readonly string[];
  /** Folders for batches and reports. Unset: the same. */
  readonly outputRoots?: readonly string[];
  readonly sourceHosts: readonly string[];
  /** Name of this machine in task queues. */
  readonly host: string;
  readonly spoolDir?: string;
  readonly s3: S3Settings;
  /** Path of the file or folder of named secrets. */
  readonly secrets?: string;
  /** Path of the file or folder of accounts. Unset: the worker serves the account of the environment. */
  readonly accountsPath?: string;
  readonly buildId?: string;
  readonly tuning?: Tuning;
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

/** The variables that are settings as they are. */
const PLAIN = {
  ...{ previousSecretKeys: VARIABLES.previousSecretKeys, queuePrefix: VARIABLES.queuePrefix },
  ...{ fileRoots: VARIABLES.fileRoots, outputRoots: VARIABLES.outputRoots, spoolDir: VARIABLES.spoolDir },
  ...{ secrets: VARIABLES.secrets, accountsPath: VARIABLES.accounts },
  ...{ buildId: VARIABLES.buildId, tuning: VARIABLES.tuning },
} as const;

type Plain = { -readonly [Name in keyof typeof PLAIN]?: ReturnType<(typeof PLAIN)[Name]['parse']> };

/**
 * The same for a command that continues with the correct settings. Wrong ones count as unset, and `problem` names them.
 */
export function inspectSettings(env: Env = process.env): {
  readonly settings: Settings;
  readonly problem?: ConfigurationError;
} {
  const reader = new EnvReader(env);
  const account = Object.fromEntries(
    ACCOUNT.map((name) => [name, reader.read(VARIABLES[name])]).filter(([, value]) => value !== undefined),
  ) as Partial<Account>;
  const plain: Plain = Object.fromEntries(
    Object.entries(PLAIN).map(([name, variable]) => [name, reader.read<unknown>(variable)]),
  );
  const settings: Settings = {
    ...given(plain),
    account,
    missing: ACCOUNT.filter((name) => account[name] === undefined).map((name) => VARIABLES[name].name),
    options: {
      ...reader.read(VARIABLES.options),
      ...given({ additionalUrls: reader.read(VARIABLES.additionalUrls) }),
    },
    temporal: temporalSettingsOf(env, reader),
    sourceHosts: reader.read(VARIABLES.sourceHosts) ?? [],
    host: reader.read(VARIABLES.host) ?? hostname(),
    s3: given({
      endpoint: reader.read(VARIABLES.s3Endpoint),
      buckets: reader.read(VARIABLES.s3Buckets),
    }),
  };
  return { settings, ...given({ problem: reader.problemFound() }) };
}

const ACCOUNT = ['baseUrl', 'uploadUrl', 'apiKey', 'secretKey', 'externalId'] as const;

/** Returns the id of the account. Throws as `requireAccount` does. */
export function accountIdOf(settings: Settings): string {
  return accountId(requireAccount(settings));
}

/** Returns the whole account, or throws one `ConfigurationError` that names every missing variable. */
export function requireAccount({ account, missing, accountsPath }: Settings): Account {
  const [firstMissing] = missing;
  if (firstMissing === undefined) return account as Account;
  const workers =
    accountsPath === undefined ? '' : 'Only workers read {accounts}; this command acts for one account. ';
  throw new ConfigurationError(
    firstMissing,
    `Not set: ${missing.join(', ')}.`,
    `${workers}Set the environment variables named above (a secret also as …_FILE, the path of a file that holds it). To try without a service, start \`media-service simulator\`, which prints them.`,
  );
}
