import { readFileSync, statSync, type Stats } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { ConfigurationError } from '../api/errors';
import { unreadableReason } from '../files/read-failure';
import type { Env } from './env-reader';
import { pathList } from './value-parsers';
import type { Variable } from './variables';
import { namesOf, VARIABLES } from './variables';

/** What a settings file may set: nothing that changes how Node or a shell works. */
const ALLOWED = /^(?:MEDIA_SERVICE|TEMPORAL|AWS)_/;
const OTHERS_MAY_WRITE = 0o022;

const { baseUrl, uploadUrl, apiKey, secretKey, previousSecretKeys } = VARIABLES;

/** A key belongs to the addresses that it was saved with, and must not go to another host. */
const TOGETHER: readonly (readonly Variable[])[] = [
  [baseUrl, uploadUrl, apiKey, secretKey, previousSecretKeys],
  [VARIABLES.temporalAddress, VARIABLES.temporalApiKey],
];

type SettingsFileVariables = Readonly<Record<string, string>>;

/**
 * Returns the path of the settings file: `MEDIA_SERVICE_SETTINGS`, else in the user's folder for settings. Undefined if
 * there is no such folder.
 */
export function settingsFilePath(env: Env = process.env): string | undefined {
  const named = env[VARIABLES.settings.name];
  if (named !== undefined && named !== '') return named;
  const config = env['XDG_CONFIG_HOME'] || (process.platform === 'win32' ? env['APPDATA'] : undefined);
  const home = env['HOME'] || homeFolder();
  const folder = config || (home === '' ? undefined : join(home, '.config'));
  return folder === undefined ? undefined : join(folder, 'media-service', 'settings.env');
}

/** Empty if there is none: a container's user may be in no list of users, and then Node throws. */
function homeFolder(): string {
  try {
    return homedir();
  } catch {
    return '';
  }
}

/**
 * Returns the variables of a settings file; none if there is no file. Throws a `ConfigurationError` if it can't be
 * read, or if other users can write it: they could decide where keys are sent.
 */
export function readSettingsFile(path: string): SettingsFileVariables {
  let text: string;
  try {
    const facts = statSync(path);
    // The null device holds no settings.
    if (facts.isCharacterDevice()) return {};
    if (process.platform !== 'win32') refuseForeign(path, facts);
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    const { code = '', syscall } = error as NodeJS.ErrnoException;
    // Services often can't even enter the folder.
    if (['ENOENT', 'ENOTDIR'].includes(code) || (code === 'EACCES' && syscall === 'stat')) return {};
    throw wrong(`The settings file ${path} ${unreadableReason(error)}.`, 'Check the path and its rights.');
  }
  return Object.fromEntries(
    Object.entries(parseEnv(text)).flatMap(([name, value]) =>
      ALLOWED.test(name) && value !== undefined ? [[name, value]] : [],
    ),
  );
}

function refuseForeign(path: string, { mode, uid }: Stats): void {
  if ((mode & OTHERS_MAY_WRITE) !== 0)
    throw wrong(
      `Other users can write the settings file ${path}.`,
      `Keep it to its owner: chmod go= ${path}`,
    );
  if (uid !== 0 && uid !== process.getuid?.())
    throw wrong(`The settings file ${path} belongs to another user.`, 'Name a file of your own.');
}

function wrong(message: string, hint: string): ConfigurationError {
  return new ConfigurationError(VARIABLES.settings.name, message, hint);
}

export interface AddedSettings {
  /** Names of the variables that the file added. */
  readonly names: ReadonlySet<string>;
  /** Says which saved variables of an account that is not complete were left out, and why. */
  readonly warning?: { readonly message: string; readonly hint: string };
}

/**
 * Adds the settings file to the environment of this process, which libraries read, too. Throws as `readSettingsFile`
 * does.
 */
export function addSettingsFile(env: Record<string, string | undefined> = process.env): AddedSettings {
  const path = settingsFilePath(env);
  if (path === undefined) return { names: new Set() };
  const file = readSettingsFile(path);
  const added = addedByFile(env, file);
  Object.assign(env, added);
  const warning = leftOut(path, file, env);
  return { names: new Set(Object.keys(added)), ...(warning === undefined ? {} : { warning }) };
}

/** Warns about saved variables of the account that are not used although the account lacks them. */
function leftOut(path: string, file: SettingsFileVariables, env: Env): AddedSettings['warning'] {
  const isSet = (name: string): boolean => (env[name] ?? '') !== '';
  const whole = [baseUrl, uploadUrl, apiKey, secretKey].map(namesOf);
  const missing = whole.filter((names) => !names.some(isSet)).flat();
  const unused = missing.filter((name) => name in file);
  if (unused.length === 0) return undefined;
  return {
    message: `${unused.join(', ')} of ${path} are not used, because the environment sets ${whole.flat().filter(isSet).join(', ')}`,
    hint: 'A key belongs to its address: set all of them in the environment, or none.',
  };
}

/**
 * Returns what the settings file adds to the environment. The environment takes precedence. Addresses and their keys
 * come from only one of the two.
 */
export function addedByFile(env: Env, file: SettingsFileVariables): SettingsFileVariables {
  const isSet = (name: string): boolean => (env[name] ?? '') !== '';
  const kept = TOGETHER.map((group) => group.flatMap(namesOf)).filter((names) => names.some(isSet));
  const secrets = Object.values(VARIABLES).filter(({ secret }) => secret === true);
  // A secret is set by its value or by its file, not by both.
  const own = secrets.map(namesOf).filter((names) => names.some(isSet));
  const ruledOut = new Set([...kept, ...own].flat());
  return Object.fromEntries(Object.entries(file).filter(([name]) => !isSet(name) && !ruledOut.has(name)));
}

/**
 * Returns the variables that this terminal sets, without those that the settings file added. A relative path would mean
 * another file in another folder, so paths are absolute.
 */
export function ownVariables(
  env: Env,
  cwd: string,
  fromSettingsFile: ReadonlySet<string> = new Set(),
): SettingsFileVariables {
  const kinds = new Map(Object.values(VARIABLES).map(({ name, paths }) => [name, paths]));
  const own = Object.values(VARIABLES).flatMap(namesOf);
  // Temporal's library reads more of them.
  const temporal = Object.keys(env).filter((name) => name.startsWith('TEMPORAL_'));
  return Object.fromEntries(
    [...new Set([...own, ...temporal])].flatMap((name) => {
      const value = env[name] ?? '';
      if (value === '' || name === VARIABLES.settings.name || fromSettingsFile.has(name)) return [];
      // All others that name a file say so.
      if (kinds.get(name) === 'one' || /_(?:PATH|FILE)$/.test(name)) return [[name, resolve(cwd, value)]];
      return [[name, kinds.get(name) === 'list' ? absolute(value, cwd) : value]];
    }),
  );
}

function absolute(list: string, cwd: string): string {
  return pathList(list)
    .map((path) => resolve(cwd, path))
    .join(delimiter);
}

/**
 * Returns the text of a settings file, which `readSettingsFile` reads back. Throws a `ConfigurationError` for a value
 * that no file can hold.
 */
export function settingsFileText(variables: SettingsFileVariables): string {
  const lines = Object.entries(variables).map(([name, value]) => {
    const line = ["'", '"', '`']
      .map((mark) => `${name}=${mark}${value}${mark}`)
      .find((text) => holds(text, name, value));
    if (line === undefined)
      throw new ConfigurationError(
        name,
        `${name} contains all three kinds of quotes, so no settings file can store it.`,
      );
    return line;
  });
  return `# Settings of media-service. Environment variables override this file.\n${lines.map((line) => `${line}\n`).join('')}`;
}

function holds(line: string, name: string, value: string): boolean {
  const read = parseEnv(line);
  return read[name] === value && Object.keys(read).length === 1;
}
