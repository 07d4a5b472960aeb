import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { accountId, checkAccount } from '../api/account';
import type { AccountLimits, ServedAccount } from '../api/account';
import { ConfigurationError } from '../api/errors';
import { isRecord } from '../api/json';
import { systemCodeOf } from '../files/system-error';
import { readServiceOptions, refuseUnknown } from './service-options';
import { json } from './value-parsers';
import { VARIABLES } from './variables';

/**
 * Reads the accounts of a JSON file (one account or an array) or of a folder of such files. In a folder it reads
 * `*.json`, except names that begin with a dot, such as the folders behind Kubernetes' links. Files of secrets are
 * relative to the file that names them. Rejects with a `Configuration` error that names the first wrong file and field,
 * but never content. Having no account at all is an error too.
 */
export async function readAccounts(path: string): Promise<readonly ServedAccount[]> {
  const found = new Map<string, { readonly entry: ServedAccount; readonly where: string }>();
  for (const file of await filesOf(path)) {
    const values = await valuesOf(file).catch((error: unknown) => {
      throw accountsError(file, error);
    });
    for (const [index, value] of values.entries()) {
      const where = values.length === 1 ? file : `${file}, account ${index + 1}`;
      const entry = await entryOf(value, dirname(file)).catch((error: unknown) => {
        throw accountsError(where, error);
      });
      const id = accountId(entry.account);
      const other = found.get(id);
      if (other !== undefined) throw accountsError(where, `is the same account as ${other.where} (${id})`);
      found.set(id, { entry, where });
    }
  }
  if (found.size === 0) throw accountsError(path, 'holds no account');
  return [...found.values()].map(({ entry }) => entry);
}

async function filesOf(path: string): Promise<readonly string[]> {
  // The next line reports undefined.
  const facts = await stat(path).catch(() => undefined);
  if (facts === undefined) throw accountsError(path, "does not exist or can't be seen by this user");
  if (!facts.isDirectory()) return [path];
  const names = await readdir(path).catch(() => {
    throw accountsError(path, "can't be read by this user");
  });
  return names
    .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
    .sort()
    .map((name) => join(path, name));
}

async function valuesOf(file: string): Promise<readonly unknown[]> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new Error("can't be read by this user");
  });
  if (text.trim() === '') throw new Error('is empty');
  return [json(text)].flat();
}

const LIMITS = ['callsPerSecond', 'partsPerSecond', 'storagePartsPerSecond'] as const;
const TEXTS = ['baseUrl', 'uploadUrl', 'externalId'] as const;
const SECRETS = ['apiKey', 'secretKey', 'previousSecretKeys'] as const;
const KNOWN = [...TEXTS, ...SECRETS, ...SECRETS.map((name) => `${name}File`), 'options', 'limits'];

type Fields = Readonly<Record<string, unknown>>;

async function entryOf(fields: unknown, folder: string): Promise<ServedAccount> {
  if (!isRecord(fields)) throw new Error('the account is not an object');
  refuseUnknown(fields, KNOWN);
  const options = readServiceOptions(fields['options']);
  const limits = limitsOf(fields['limits']);
  const [baseUrl = '', uploadUrl = '', externalId = ''] = TEXTS.map((name) => textOf(fields, name));
  const secret = async (name: string): Promise<string> =>
    (await secretOfFile(fields, name, folder)) ?? textOf(fields, name);
  const [apiKey, secretKey] = [await secret('apiKey'), await secret('secretKey')];
  const previous = await previousOf(fields, folder);
  try {
    const account = checkAccount({ baseUrl, uploadUrl, externalId, apiKey, secretKey }, options);
    return { account, options, limits, ...(previous.length === 0 ? {} : { previousSecretKeys: previous }) };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new Error(`${error.facts.field ?? 'the account'} ${error.facts.problem ?? error.message}`);
  }
}

function textOf(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value === 'string' && value.trim() !== '') return value;
  throw new Error(`${name} ${value === undefined || value === '' ? 'is missing' : 'is not a text'}`);
}

/** Reads an array of texts, or a file in the format of the variable, see `VARIABLES.previousSecretKeys`. */
async function previousOf(fields: Fields, folder: string): Promise<readonly string[]> {
  const text = await secretOfFile(fields, 'previousSecretKeys', folder);
  if (text !== undefined) return VARIABLES.previousSecretKeys.parse(text);
  const given = fields['previousSecretKeys'] ?? [];
  const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
  if (Array.isArray(given) && given.every(isText)) return given;
  throw new Error('previousSecretKeys is not an array of texts');
}

/** A final line break is not part of the secret. Undefined if no file is named. */
async function secretOfFile(fields: Fields, name: string, folder: string): Promise<string | undefined> {
  const file = fields[`${name}File`];
  if (file === undefined) return undefined;
  if (fields[name] !== undefined) throw new Error(`${name} and ${name}File are both given; keep one of them`);
  if (typeof file !== 'string' || file === '') throw new Error(`${name}File is not a path`);
  const text = await readFile(resolve(folder, file), 'utf8').catch((error: unknown) => {
    throw new Error(`${name}File names a file that can't be read (${systemCodeOf(error) ?? 'unknown'})`);
  });
  return text.trimEnd();
}

function limitsOf(value: unknown = {}): AccountLimits {
  if (!isRecord(value)) throw new Error('limits is not an object');
  refuseUnknown(value, LIMITS, 'limits.');
  const { storagePartsPerSecond: byHost = {}, ...rates } = value;
  if (!isRecord(byHost)) throw new Error('limits.storagePartsPerSecond is not an object');
  for (const [name, limit] of [...Object.entries(rates), ...Object.entries(byHost)])
    if (typeof limit !== 'number' || !Number.isFinite(limit) || limit <= 0)
      throw new Error(`limits.${name} is not a number above 0`);
  return value;
}

function accountsError(where: string, error: unknown): ConfigurationError {
  return new ConfigurationError(
    VARIABLES.accounts.name,
    `The accounts of ${VARIABLES.accounts.name} can't be used:\n  ${where}: ${error instanceof Error ? error.message : String(error)}`,
    'Fix this entry; docs/operations/workers.md shows an example.',
  );
}
