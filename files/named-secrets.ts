import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { ConfigurationError, MediaServiceError } from '../api/errors';
import { isJsonObject, parsedJson } from '../api/json';
import type { JsonObject } from '../api/json';
import type { NamedSecrets } from '../api/upload/sources/http/secret-headers';
import { mayPass, systemCodeOf } from './system-error';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/**
 * Reads secrets from a JSON file `{"name": "text" or {…}}`, or from a folder. Each file in the folder has the name of
 * its secret and holds a text or a JSON object. Unset: there are none.
 */
export function createNamedSecrets(location: string | undefined): NamedSecrets {
  return {
    async read(name) {
      if (!NAME.test(name)) {
        throw wrong(
          `"${name.slice(0, 128)}" is not a name of a secret`,
          'Use letters, digits, dots, dashes and underscores.',
        );
      }
      if (location === undefined) {
        throw wrong(
          `the secret named "${name}" is needed, but no secrets are set up on this machine`,
          'Set {secrets} to a JSON file of secrets by name, or to a folder with a file for each.',
        );
      }
      const facts = await stat(location).catch((error: unknown) => unreadable(location, error));
      const secret = await (facts.isDirectory()
        ? secretOfFolder(location, name)
        : secretOfFile(location, name));
      if (secret !== undefined) return secret;
      throw wrong(
        `there is no secret named "${name}" in ${location}`,
        facts.isDirectory()
          ? `Create the file ${path.join(location, name)}, or name another secret.`
          : 'Add it, or name another one.',
      );
    },
  };
}

async function secretOfFile(file: string, name: string): Promise<string | JsonObject | undefined> {
  const content = await readFile(file, 'utf8').catch((error: unknown) => unreadable(file, error));
  const secrets = parsedJson(content);
  const secret = isJsonObject(secrets) && Object.hasOwn(secrets, name) ? secrets[name] : undefined;
  if (isJsonObject(secrets) && secret === undefined) return undefined;
  if (typeof secret === 'string' || isJsonObject(secret)) return secret;
  throw wrong(
    secret === undefined
      ? `${file} holds no JSON object of secrets by name`
      : `the secret named "${name}" in ${file} is neither a text nor an object`,
    'Write it as {"name": "text", "other": {…}}.',
  );
}

async function secretOfFolder(folder: string, name: string): Promise<string | JsonObject | undefined> {
  const file = path.join(folder, name);
  const content = await readFile(file, 'utf8').catch((error: unknown) =>
    systemCodeOf(error) === 'ENOENT' ? undefined : unreadable(file, error),
  );
  const json = content === undefined ? undefined : parsedJson(content);
  return isJsonObject(json) ? json : content?.trimEnd();
}

/** Only an unavailable disk can come back, so only then is the read retried. */
function unreadable(file: string, error: unknown): never {
  const code = systemCodeOf(error);
  const message = `the secrets in ${file} can't be read${code === undefined ? '' : ` (${code})`}`;
  if (!mayPass(error)) throw wrong(message, 'Check {secrets}, and the rights of its user.');
  throw new MediaServiceError('Configuration', message, {
    outcome: 'unsent',
    field: 'secrets',
    hint: 'Check the disk of {secrets}. Running uploads continue when the disk answers again.',
    details: { permanent: false },
  });
}

function wrong(message: string, hint: string): ConfigurationError {
  return new ConfigurationError('secrets', message, hint);
}
