import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isRecord } from '../../api/json';
import { checkAccount } from '../../api/account';
import type { Account, AccountLimits, ServedAccount, ServiceOptions } from '../../api/account';
import { ConfigurationError } from '../../api/errors';
import { systemCodeOf } from '../../files/system-error';
import { noteUnknown, readServiceOptions } from '../service-options';
import type { Note } from '../service-options';
import { VARIABLES } from '../variables';

const ADDRESSES = ['baseUrl', 'uploadUrl', 'externalId'] as const;
const SECRETS = ['apiKey', 'secretKey'] as const;
const PREVIOUS = 'previousSecretKeys';
const LIMITS = ['callsPerSecond', 'partsPerSecond', 'batchPartsPerSecond'] as const;
const KNOWN: ReadonlySet<string> = new Set([
  ...ADDRESSES,
  ...[...SECRETS, PREVIOUS].flatMap((name) => [name, `${name}File`]),
  'options',
  'limits',
]);

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads one account. Problems go to `note`, and the result is then undefined. Files of secrets are relative to
 * `folder`; a final line break is not part of the secret.
 */
export async function readAccountEntry(
  value: unknown,
  folder: string,
  note: Note,
): Promise<ServedAccount | undefined> {
  if (!isRecord(value)) {
    note('the account', 'is not an object');
    return undefined;
  }
  let wrong = 0;
  const noteWrong: Note = (field, problem) => {
    wrong += 1;
    note(field, problem);
  };
  noteUnknown(value, { known: KNOWN, prefix: '' }, noteWrong);
  const options = readServiceOptions(value['options'], noteWrong);
  const limits = limitsOf(value['limits'], noteWrong);
  const account = await accountOf(value, { folder, options, note: noteWrong });
  const previous = await previousOf(value, { folder, note: noteWrong });
  if (wrong > 0 || account === undefined) return undefined;
  return { account, options, limits, ...(previous.length === 0 ? {} : { previousSecretKeys: previous }) };
}

interface Reading {
  readonly folder: string;
  readonly options: ServiceOptions;
  readonly note: Note;
}

async function accountOf(fields: Fields, { folder, options, note }: Reading): Promise<Account | undefined> {
  const [baseUrl, uploadUrl, externalId] = ADDRESSES.map((name) => textOf(fields, name, note));
  const [apiKey, secretKey] = await Promise.all(
    SECRETS.map((name) => secretOf(fields, name, { folder, note })),
  );
  if (
    baseUrl === undefined ||
    uploadUrl === undefined ||
    externalId === undefined ||
    apiKey === undefined ||
    secretKey === undefined
  ) {
    return undefined;
  }
  try {
    return checkAccount({ baseUrl, uploadUrl, externalId, apiKey, secretKey }, options);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const { field = 'the account', problem } = error.facts;
    note(field, problem ?? error.message);
    return undefined;
  }
}

function textOf(fields: Fields, name: string, note: Note): string | undefined {
  const value = fields[name];
  if (typeof value === 'string' && value.trim() !== '') return value;
  note(name, value === undefined || value === '' ? 'is missing' : 'is not a text');
  return undefined;
}

/** Reads an array of texts, or a file in the format of the variable, see `VARIABLES.previousSecretKeys`. */
async function previousOf(
  fields: Fields,
  reading: Pick<Reading, 'folder' | 'note'>,
): Promise<readonly string[]> {
  if (fields[`${PREVIOUS}File`] !== undefined) {
    const text = await secretOfFile(fields, PREVIOUS, reading);
    return text === undefined ? [] : VARIABLES.previousSecretKeys.parse(text);
  }
  const given = fields[PREVIOUS] ?? [];
  if (Array.isArray(given) && given.every(isText)) return given;
  reading.note(PREVIOUS, 'is not an array of texts');
  return [];
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

async function secretOf(
  fields: Fields,
  name: string,
  reading: Pick<Reading, 'folder' | 'note'>,
): Promise<string | undefined> {
  if (fields[`${name}File`] === undefined) return textOf(fields, name, reading.note);
  return secretOfFile(fields, name, reading);
}

async function secretOfFile(
  fields: Fields,
  name: string,
  { folder, note }: Pick<Reading, 'folder' | 'note'>,
): Promise<string | undefined> {
  const file = fields[`${name}File`];
  if (fields[name] !== undefined) {
    note(name, `and ${name}File are both given; keep one of them`);
    return undefined;
  }
  if (typeof file !== 'string' || file === '') {
    note(`${name}File`, 'is not a path');
    return undefined;
  }
  try {
    return (await readFile(resolve(folder, file), 'utf8')).trimEnd();
  } catch (error) {
    const code = systemCodeOf(error);
    note(`${name}File`, `names a file that can't be read${code === undefined ? '' : ` (${code})`}`);
    return undefined;
  }
}

function limitsOf(value: unknown, note: Note): AccountLimits {
  if (value === undefined) return {};
  if (!isRecord(value)) {
    note('limits', 'is not an object');
    return {};
  }
  noteUnknown(value, { known: new Set(LIMITS), prefix: 'limits.' }, note);
  const read = LIMITS.flatMap((name) => {
    const given = value[name];
    if (given === undefined) return [];
    if (typeof given === 'number' && Number.isFinite(given) && given > 0) return [[name, given] as const];
    note(`limits.${name}`, 'is not a number above 0');
    return [];
  });
  return Object.fromEntries(read);
}
