import { createPrivateKey, X509Certificate } from 'node:crypto';
import { systemCodeOf } from '../files/system-error';
import { unreadableReason } from '../files/read-failure';
import type { Env, EnvReader } from './env-reader';
import type { TlsText } from '../temporal/client/temporal-network';

/** Temporal's own variables. Each may also hold the PEM itself: `…_DATA`. */
const CA = 'TEMPORAL_TLS_SERVER_CA_CERT_PATH';
const CERT = 'TEMPORAL_TLS_CLIENT_CERT_PATH';
const KEY = 'TEMPORAL_TLS_CLIENT_KEY_PATH';

/** Notes certificates and keys for Temporal that can't be used. Otherwise the connection fails without naming them. */
export function noteWrongTls(reader: EnvReader, env: Env, { caPem, certPem, keyPem }: TlsText): void {
  if (caPem !== undefined && attempt(() => new X509Certificate(caPem)) === undefined)
    reader.problem(CA, 'must hold a certificate in PEM form');
  if (certPem === undefined || keyPem === undefined) return noteMissingHalf(reader, env);
  const [cert, key] = [attempt(() => new X509Certificate(certPem)), attempt(() => createPrivateKey(keyPem))];
  if (cert === undefined) reader.problem(CERT, 'must hold a certificate in PEM form');
  if (key === undefined) reader.problem(KEY, 'must hold an unencrypted private key in PEM form');
  if (cert === undefined || key === undefined || cert.checkPrivateKey(key)) return;
  reader.problem(KEY, 'must hold the key of the client certificate, but holds another key');
}

/** Notes a PEM file that can't be read. Returns whether the error is about one. */
export function noteUnreadablePem(reader: EnvReader, env: Env, error: unknown): boolean {
  const file = systemCodeOf(error) === undefined ? undefined : (error as NodeJS.ErrnoException).path;
  const name = [CA, CERT, KEY].find((each) => file !== undefined && env[each] === file);
  if (name !== undefined)
    reader.problem(name, `names a file that ${unreadableReason(error)} (it is "${file}")`);
  return name !== undefined;
}

/** Temporal's library drops a certificate without a key, and a key without a certificate. */
function noteMissingHalf(reader: EnvReader, env: Env): void {
  const isSet = (path: string): boolean =>
    [path, path.replace(/_PATH$/, '_DATA')].some((name) => (env[name] ?? '').trim() !== '');
  if (isSet(CERT) === isSet(KEY)) return;
  const [name, other] = isSet(CERT) ? [KEY, CERT] : [CERT, KEY];
  reader.problem(name, `is not set, but ${other} is: a client certificate and its key need each other`);
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    // The library's message says nothing about the setting.
    return undefined;
  }
}
