import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSettings } from '../../../settings/settings';
import { makeCertificate, type Certificate } from '../../support/certificate';
import { createTempDir } from '../../support/temp-dir';

const CA = 'TEMPORAL_TLS_SERVER_CA_CERT_PATH';
const CERT = 'TEMPORAL_TLS_CLIENT_CERT_PATH';
const KEY = 'TEMPORAL_TLS_CLIENT_KEY_PATH';

let folder: Awaited<ReturnType<typeof createTempDir>>;
let pair: Certificate;
const at = (name: string): string => join(folder.path, name);

beforeAll(async () => {
  folder = await createTempDir('temporal-tls');
  pair = await makeCertificate();
  writeFileSync(at('cert.pem'), pair.cert);
  writeFileSync(at('key.pem'), pair.key);
  writeFileSync(at('other.key'), (await makeCertificate()).key);
  writeFileSync(at('text.pem'), 'subjectAltName=DNS:localhost');
  writeFileSync(
    at('temporal.toml'),
    `[profile.default.tls]\nclient_cert_data = '''${pair.cert.toString()}'''\n`,
  );
});
afterAll(() => folder.remove());

describe('certificates for Temporal', () => {
  test('are read from their files', () => {
    const { temporal } = readSettings({
      [CA]: at('cert.pem'),
      [CERT]: at('cert.pem'),
      [KEY]: at('key.pem'),
    });
    const cert = pair.cert.toString();
    expect(temporal.tls).toEqual({ caPem: cert, certPem: cert, keyPem: pair.key.toString() });
  });

  test('may come half from a profile and half from the environment', () => {
    const profile = { TEMPORAL_CONFIG_FILE: at('temporal.toml') };
    expect(readSettings({ ...profile, [KEY]: at('key.pem') }).temporal.tls).toMatchObject({
      keyPem: pair.key.toString(),
    });
  });

  test('may come from a profile, with their key', () => {
    const cert = pair.cert.toString();
    const key = pair.key.toString();
    const lines = [
      '[profile.default.tls]',
      `client_cert_data = '''${cert}'''`,
      `client_key_data = '''${key}'''`,
    ];
    writeFileSync(at('pair.toml'), `${lines.join('\n')}\n`);
    const { temporal } = readSettings({ TEMPORAL_CONFIG_FILE: at('pair.toml') });
    expect(temporal.tls).toEqual({ certPem: cert, keyPem: key });
  });

  test("are ignored, as by Temporal's library, if TLS is off", () => {
    const { temporal } = readSettings({ TEMPORAL_TLS: 'false', [CERT]: at('cert.pem') });
    expect(temporal.tls).toBe(false);
  });

  const NO_KEY = `${KEY} is not set, but ${CERT} is: a client certificate and its key need each other`;
  const NO_CERT = `${CERT} is not set, but ${KEY} is: a client certificate and its key need each other`;
  test.each<[files: Record<string, string>, message: string]>([
    [{ [CA]: 'none.pem' }, `${CA} names a file that does not exist (it is "<none.pem>")`],
    [{ [CA]: 'text.pem' }, `${CA} must hold a certificate in PEM form`],
    [{ [CA]: 'key.pem' }, `${CA} must hold a certificate in PEM form`],
    [{ [CERT]: 'cert.pem' }, NO_KEY],
    [{ [KEY]: 'key.pem' }, NO_CERT],
    [
      { [CERT]: 'cert.pem', [KEY]: 'none.key' },
      `${KEY} names a file that does not exist (it is "<none.key>")`,
    ],
    [
      { [CERT]: 'cert.pem', [KEY]: 'other.key' },
      `${KEY} must hold the key of the client certificate, but holds another key`,
    ],
  ])('are refused with %j: %s', (files, message) => {
    const env = Object.fromEntries(Object.entries(files).map(([name, file]) => [name, at(file)]));
    const expected = message.replace(/<(.+)>/, (_found, file: string) => at(file));
    expect(() => readSettings(env)).toThrow(`${expected}.`);
  });

  test('are refused if certificate and key are swapped', () => {
    expect(() => readSettings({ [CERT]: at('key.pem'), [KEY]: at('cert.pem') })).toThrow(
      new RegExp(
        `${CERT} must hold a certificate in PEM form.*\\n.*${KEY} must hold an unencrypted private key`,
      ),
    );
  });
});
