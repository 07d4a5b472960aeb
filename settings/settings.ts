import type { TemporalAddress } from '../temporal/client/temporal-network';
import { accountId } from '../api/account';
import type { Account, ServiceOptions } from '../api/account';
import { ConfigurationError } from '../api/errors';
import { given } from '../api/json';
import { EnvReader } from './env-reader';
import type { Env } from './env-reader';
import { fileSettingsOf } from './file-settings';
import type { FileSettings } from './file-settings';
import { sourceSettingsOf } from './source-settings';
import type { SourceSettings } from './source-settings';
import { temporalSettingsOf } from './temporal-settings';
import { VARIABLES } from './variables';
import { workerSettingsOf } from './worker-settings';
import type { WorkerSettings } from './worker-settings';

/** The whole configuration of CLI and worker from their environment. */
export interface Settings extends SourceSettings, FileSettings, WorkerSettings {
  readonly environment: 'production' | 'rc';
  /** The part that is set; `requireAccount` returns the whole account. */
  readonly account: Partial<Account>;
  /** Variables that the account still lacks. */
  readonly missing: readonly string[];
  readonly options: ServiceOptions;
  /** Earlier keys of the account, see `SealKeys`. */
  readonly previousSecretKeys?: readonly string[];
  readonly temporal: TemporalAddress;
  readonly queuePrefix?: string;
}

/**
 * Reads every variable of the table in `variables.ts`. A missing variable is not an error here, since a simulator needs no
 * account. Malformed ones are: one `ConfigurationError` names them all, each with an example.
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
  const environment = reader.read(VARIABLES.environment) ?? 'production';
  const { account, missing } = accountOf(reader, environment);
  const queuePrefix = reader.read(VARIABLES.queuePrefix);
  const previousSecretKeys = reader.read(VARIABLES.previousSecretKeys);
  const settings: Settings = {
    ...sourceSettingsOf(reader),
    ...fileSettingsOf(reader),
    ...workerSettingsOf(reader),
    environment,
    account,
    missing,
    options: serviceOptionsOf(reader),
    temporal: temporalSettingsOf(env, reader),
    ...given({ queuePrefix, previousSecretKeys }),
  };
  const problem = reader.problemFound();
  return { settings, ...(problem === undefined ? {} : { problem }) };
}

/** Returns the id of the account. Throws as `requireAccount` does. */
export function accountIdOf(settings: Settings): string {
  return accountId(requireAccount(settings));
}

/** Returns the whole account, or throws one `ConfigurationError` that names every missing variable. */
export function requireAccount(settings: Settings): Account {
  const { baseUrl, uploadUrl, apiKey, secretKey, externalId } = settings.account;
  const [firstMissing] = settings.missing;
  if (
    baseUrl === undefined ||
    uploadUrl === undefined ||
    apiKey === undefined ||
    secretKey === undefined ||
    externalId === undefined
  ) {
    throw new ConfigurationError(
      firstMissing ?? VARIABLES.baseUrl.name,
      `Not set: ${settings.missing.join(', ')}.`,
      { remedy: { kind: 'set-account', accounts: settings.accountsPath !== undefined } },
    );
  }
  return { baseUrl, uploadUrl, apiKey, secretKey, externalId };
}

function accountOf(
  reader: EnvReader,
  environment: 'production' | 'rc',
): { account: Partial<Account>; missing: string[] } {
  const rc = environment === 'rc';
  const production = { baseUrl: reader.read(VARIABLES.baseUrl), uploadUrl: reader.read(VARIABLES.uploadUrl) };
  const candidate = {
    baseUrl: reader.read(VARIABLES.rcBaseUrl),
    uploadUrl: reader.read(VARIABLES.rcUploadUrl),
  };
  const found = [
    ['baseUrl', VARIABLES.baseUrl.name, rc ? (candidate.baseUrl ?? production.baseUrl) : production.baseUrl],
    [
      'uploadUrl',
      rc ? VARIABLES.rcUploadUrl.name : VARIABLES.uploadUrl.name,
      rc ? candidate.uploadUrl : production.uploadUrl,
    ],
    ['apiKey', VARIABLES.apiKey.name, reader.read(VARIABLES.apiKey)],
    ['secretKey', VARIABLES.secretKey.name, reader.read(VARIABLES.secretKey)],
    ['externalId', VARIABLES.externalId.name, reader.read(VARIABLES.externalId)],
  ] as const;
  return {
    account: Object.fromEntries(
      found.flatMap(([key, , value]) => (value === undefined ? [] : [[key, value]])),
    ),
    missing: found.flatMap(([, name, value]) => (value === undefined ? [name] : [])),
  };
}

function serviceOptionsOf(reader: EnvReader): ServiceOptions {
  const options = {
    ingestTag: reader.read(VARIABLES.ingestTag),
    additionalUrls: reader.read(VARIABLES.additionalUrls),
    completeBody: reader.read(VARIABLES.completeBody),
    maxParts: reader.read(VARIABLES.maxParts),
    partContentType: reader.read(VARIABLES.partContentType),
    sortSeparator: reader.read(VARIABLES.sortSeparator),
    allowPlainHttp: reader.read(VARIABLES.allowPlainHttp),
  };
  return given(options);
}
