import { editDistance } from '../api/edit-distance';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Env } from './env-reader';
import { certificatesIn, inContainer } from './surroundings';
import type { Variable } from './variable';
import { VARIABLES } from './variables';

/** A phrase without its period, and what to do. */
interface EnvironmentWarning {
  readonly message: string;
  readonly hint: string;
}

const PREFIX = 'MEDIA_SERVICE_';
/** Kubernetes and Docker set these for a service or container named `media-service`. */
const SET_BY_OTHERS = /^MEDIA_SERVICE_(?:SERVICE_(?:HOST|PORT)|PORT$|PORT_|NAME$|ENV_)/;
const MAX_TYPING_MISTAKES = 3;
const OTHERS_MAY_READ = 0o004;
const OTHERS_MAY_ENTER = 0o001;

/**
 * Returns probable mistakes in the environment: variables that nothing reads, certificates that can't be read, and
 * secrets that every user of this machine can read.
 */
export function environmentWarnings(
  env: Env = process.env,
  isContainer = inContainer(env),
): readonly EnvironmentWarning[] {
  // In a container, mounted secrets are readable for everybody, but only one program runs there.
  const hasUsers = process.platform !== 'win32' && !isContainer;
  return [...unknownVariables(env), ...brokenCertificates(env), ...(hasUsers ? readableSecrets(env) : [])];
}

function known(): readonly string[] {
  const all: readonly Variable[] = Object.values(VARIABLES);
  return all.flatMap(({ name, secret }) => (secret === true ? [name, `${name}_FILE`] : [name]));
}

function unknownVariables(env: Env): EnvironmentWarning[] {
  const names = known();
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !names.includes(name) && !SET_BY_OTHERS.test(name))
    .sort()
    .map((name) => {
      const [nearest] = names
        .map((candidate) => ({ candidate, mistakes: editDistance(name, candidate) }))
        .filter(({ mistakes }) => mistakes <= MAX_TYPING_MISTAKES)
        .sort((a, b) => a.mistakes - b.mistakes);
      return {
        message: `${name} is set, but nothing reads it`,
        hint:
          nearest === undefined
            ? 'docs/configuration.md lists all variables.'
            : `Did you mean ${nearest.candidate}?`,
      };
    });
}

function brokenCertificates(env: Env): EnvironmentWarning[] {
  const file = env['SSL_CERT_FILE'] ?? '';
  if (file === '' || certificatesIn(file).broken === 0) return [];
  const message = `SSL_CERT_FILE names ${file}, and not all of it can be read as certificates`;
  return [{ message, hint: 'Put PEM certificates of the issuers into it, or unset it.' }];
}

function readableSecrets(env: Env): EnvironmentWarning[] {
  const all: readonly Variable[] = Object.values(VARIABLES);
  const names = [
    ...all.filter(({ secret }) => secret === true).map(({ name }) => `${name}_FILE`),
    VARIABLES.secrets.name,
    VARIABLES.accounts.name,
  ];
  return names.flatMap((name) => {
    const path = env[name];
    const file = path === undefined || path === '' ? undefined : readableByAll(path);
    if (file === undefined) return [];
    const message = `every user of this machine can read ${file}, which ${name} names`;
    return [{ message, hint: `Keep it to its owner: chmod go= ${file}` }];
  });
}

/**
 * Returns the file itself, or the first such file in the folder. Undefined if there is none, or nothing can be seen.
 */
function readableByAll(path: string): string | undefined {
  try {
    const facts = statSync(path);
    if (!facts.isDirectory()) return (facts.mode & OTHERS_MAY_READ) === 0 ? undefined : path;
    if ((facts.mode & OTHERS_MAY_ENTER) === 0) return undefined;
    return readdirSync(path)
      .filter((name) => !name.startsWith('.'))
      .map((name) => join(path, name))
      .find((file) => statSync(file).isFile() && (statSync(file).mode & OTHERS_MAY_READ) !== 0);
  } catch {
    // A file that can't be read is an error at its use.
    return undefined;
  }
}
