import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { ConfigurationError, MediaServiceError } from './errors';
import { isJsonObject } from './json';
import type { JsonObject } from './json';
import { mayPass, systemCodeOf } from './upload/sources/source-failure';

/** Secrets that descriptors, schedules and settings name, so that no input and no history holds their content. */
export interface NamedSecrets {
  /** The secret as it stands there now: a change counts without a restart. Rejects with `Configuration`, which names the secret and never shows any. */
  read(name: string): Promise<string | JsonObject>;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const SETTING = 'MEDIA_SERVICE_SECRETS';

/**
 * Secrets of a JSON file `{"name": "text" or {…}}`, or of a folder whose files are named after their secrets and hold a text or a JSON object. Unset:
 * there are none.
 */
export function createNamedSecrets(location: string | undefined): NamedSecrets {
  return {
    async read(name) {
      if (!NAME.test(name)) {
        throw wrong(
          `"${name.slice(0, 128)}" is no name of a secret`,
          'Use letters, digits, dots, dashes and underscores.',
        );
      }
      if (location === undefined) {
        throw wrong(
          `the secret named "${name}" is needed, and no secrets are set up on this machine`,
          `Set ${SETTING} to a JSON file of secrets by name, or to a folder with a file for each, where the worker runs.`,
        );
      }
      const facts = await stat(location).catch((error: unknown) => unreadable(location, error));
      return facts.isDirectory() ? secretOfFolder(location, name) : secretOfFile(location, name);
    },
  };
}

async function secretOfFile(file: string, name: string): Promise<string | JsonObject> {
  const content = await readFile(file, 'utf8').catch((error: unknown) => unreadable(file, error));
  const secrets = jsonOf(content);
  if (!isJsonObject(secrets)) {
    throw wrong(
      `${file} holds no JSON object of secrets by name`,
      'Write it as {"name": "text", "other": {…}}.',
    );
  }
  if (!Object.hasOwn(secrets, name)) {
    throw wrong(`there is no secret named "${name}" in ${file}`, 'Add it, or name another one.');
  }
  const secret = secrets[name];
  if (typeof secret === 'string' || isJsonObject(secret)) return secret;
  throw wrong(
    `the secret named "${name}" in ${file} is neither a text nor an object`,
    'Write it as one of them.',
  );
}

async function secretOfFolder(folder: string, name: string): Promise<string | JsonObject> {
  const file = path.join(folder, name);
  const content = await readFile(file, 'utf8').catch((error: unknown) => {
    if (!isMissing(error)) return unreadable(file, error);
    throw wrong(
      `there is no secret named "${name}" in ${folder}`,
      `Create the file ${file}, or name another secret.`,
    );
  });
  const json = jsonOf(content);
  return isJsonObject(json) ? json : content.trimEnd();
}

function jsonOf(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    // What cannot be read may be quoted by the parser's error.
    return undefined;
  }
}

function isMissing(error: unknown): boolean {
  return systemCodeOf(error) === 'ENOENT';
}

/** A disk that is away may come back: only then it is tried again. */
function unreadable(file: string, error: unknown): never {
  const code = systemCodeOf(error);
  const message = `the secrets in ${file} cannot be read${code === undefined ? '' : ` (${code})`}`;
  if (!mayPass(error)) throw wrong(message, `Check ${SETTING} and the rights of this user.`);
  throw new MediaServiceError('Configuration', message, {
    outcome: 'unsent',
    field: 'secrets',
    hint: `Check the disk that ${SETTING} names: what runs goes on by itself once it answers.`,
    details: { permanent: false },
  });
}

function wrong(message: string, hint: string): ConfigurationError {
  return new ConfigurationError('secrets', message, hint);
}
