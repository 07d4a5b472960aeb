import { createPrivateKey, X509Certificate } from 'node:crypto';
import { systemCodeOf } from '../files/system-error';
import { unreadableReason } from '../files/read-failure';
import type { Env, EnvReader } from './env-reader';
import type { TlsText } from '../temporal/client/temporal-network';
import { VARIABLES } from './variables';

const CA = VARIABLES.temporalCaCert.name;
const CERT = VARIABLES.temporalClientCert.name;
const KEY = VARIABLES.temporalClientKey.name;

/** Notes certificates and keys for Temporal that can't be used. Otherwise the connection fails without naming them. */
export function noteWrongTls(reader: EnvReader, env: Env, { caPem, certPem, keyPem }: TlsText): void {
  const note = (path: string, problem: string): void => {
    const where = isSet(env, path) ? '' : "of the profile in Temporal's configuration file ";
    const [name, shown] = variableOf(env, path);
    reader.problem(name, `${where}${problem}${shown}`);
  };
  if (caPem !== undefined && certificateOf(caPem) === undefined)
    note(CA, 'must hold a certificate in PEM form');
  if (certPem === undefined || keyPem === undefined) return noteMissingHalf(reader, env);
  const [cert, key] = [certificateOf(certPem), keyOf(keyPem)];
  if (cert === undefined) note(CERT, 'must hold a certificate in PEM form');
  if (key === undefined) note(KEY, 'must hold an unencrypted private key in PEM form');
  if (cert === undefined || key === undefined || cert.checkPrivateKey(key)) return;
  note(KEY, 'must hold the key of the client certificate, but holds another key');
}

/** Notes a PEM file that can't be read. Returns whether the error is about one. */
export function noteUnreadablePem(reader: EnvReader, env: Env, error: unknown): boolean {
  const file = systemCodeOf(error) === undefined ? undefined : (error as NodeJS.ErrnoException).path;
  const name = [CA, CERT, KEY].find((each) => file !== undefined && env[each] === file);
  if (name !== undefined)
    reader.problem(name, `names a file that ${unreadableReason(error)}${shownPath(file)}`);
  return name !== undefined;
}

/** Temporal's library drops a certificate without a key, and a key without a certificate. */
function noteMissingHalf(reader: EnvReader, env: Env): void {
  const [hasCert, hasKey] = [isSet(env, CERT), isSet(env, KEY)];
  if (hasCert === hasKey) return;
  const [name, other] = hasCert ? [KEY, CERT] : [CERT, KEY];
  reader.problem(
    name,
    `is not set, but ${variableOf(env, other)[0]} is: a client certificate and its key need each other`,
  );
}

/** The variable that has the PEM, and the path in it. */
function variableOf(env: Env, path: string): readonly [name: string, shown: string] {
  const data = dataOf(path);
  return hasText(env[data]) ? [data, ''] : [path, shownPath(env[path])];
}

function shownPath(path: string | undefined): string {
  return hasText(path) ? ` (it is "${path}")` : '';
}

function isSet(env: Env, path: string): boolean {
  return hasText(env[path]) || hasText(env[dataOf(path)]);
}

function dataOf(path: string): string {
  return path.replace(/_PATH$/, '_DATA');
}

function hasText(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== '';
}

function certificateOf(pem: string): X509Certificate | undefined {
  return attempt(() => new X509Certificate(pem));
}

function keyOf(pem: string): ReturnType<typeof createPrivateKey> | undefined {
  return attempt(() => createPrivateKey(pem));
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    // The library's message says nothing about the setting.
    return undefined;
  }
}
