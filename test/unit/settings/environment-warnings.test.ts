import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { environmentWarnings } from '../../../settings/environment-warnings';
import { certificatesIn } from '../../../settings/surroundings';

describe('a variable that nothing reads', () => {
  test.each<[label: string, name: string, hint: string]>([
    ['with a typing mistake', 'MEDIA_SERVICE_APIKEY', 'Did you mean MEDIA_SERVICE_API_KEY?'],
    ['in the singular', 'MEDIA_SERVICE_FILE_ROOT', 'Did you mean MEDIA_SERVICE_FILE_ROOTS?'],
    ['with a needless _FILE', 'MEDIA_SERVICE_BASE_URL_FILE', 'docs/configuration.md lists all variables.'],
    ['unlike all known ones', 'MEDIA_SERVICE_COLOUR', 'docs/configuration.md lists all variables.'],
  ])('%s is named', (_label, name, hint) => {
    expect(environmentWarnings({ [name]: 'x' })).toEqual([
      { message: `${name} is set, but nothing reads it`, hint },
    ]);
  });

  test("is not the user's mistake if Kubernetes set it for a service called media-service", () => {
    const names = ['SERVICE_HOST', 'SERVICE_PORT', 'SERVICE_PORT_HTTP', 'PORT', 'PORT_80_TCP_ADDR'];
    const env = Object.fromEntries(names.map((name) => [`MEDIA_SERVICE_${name}`, 'x']));
    expect(environmentWarnings(env)).toEqual([]);
  });
});

describe('a file of certificates', () => {
  test.each([
    ['that is missing', '/nowhere/ca.pem'],
    ['without a certificate', join(__dirname, 'environment-warnings.test.ts')],
  ])('%s is named', (_what, file) => {
    expect(environmentWarnings({ SSL_CERT_FILE: file })).toEqual([
      {
        message: `SSL_CERT_FILE names ${file}, and not all of it can be read as certificates`,
        hint: 'Put PEM certificates of the issuers into it, or unset it.',
      },
    ]);
  });

  test.each([
    [[], 'a whole one is enough'],
    [['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'], 'a broken one beside it is named'],
  ])('%#: %s', (broken) => {
    const folder = mkdtempSync(join(tmpdir(), 'certificates-'));
    const file = join(folder, 'ca.pem');
    writeFileSync(file, [rootCertificates[0], ...broken].join('\n'));
    expect(environmentWarnings({ SSL_CERT_FILE: file })).toHaveLength(broken.length);
    expect(certificatesIn(file)).toEqual({ readable: [rootCertificates[0]], broken: broken.length });
    rmSync(folder, { recursive: true });
  });
});

describe('a secret on disk', () => {
  let folder: string;
  let open: string;
  let closed: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'secrets-'));
    [open, closed] = [join(folder, 'open'), join(folder, 'closed')];
    for (const path of [open, closed]) {
      mkdirSync(path);
      for (const name of ['private', 'public']) writeFileSync(join(path, name), 'secret');
      chmodSync(join(path, 'private'), 0o600);
      chmodSync(join(path, 'public'), 0o644);
    }
    chmodSync(open, 0o755);
    chmodSync(closed, 0o700);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('is reported if every user can read it, as a file and within a folder', () => {
    const file = join(open, 'public');
    const env = { MEDIA_SERVICE_API_KEY_FILE: file, MEDIA_SERVICE_SECRETS: open };
    expect(environmentWarnings(env, false)).toEqual(
      ['MEDIA_SERVICE_API_KEY_FILE', 'MEDIA_SERVICE_SECRETS'].map((name) => ({
        message: `every user of this machine can read ${file}, which ${name} names`,
        hint: `Keep it to its owner: chmod go= ${file}`,
      })),
    );
  });

  test('is not reported if only its owner can read it, if its folder is closed, or if it is missing', () => {
    const env = {
      MEDIA_SERVICE_API_KEY_FILE: join(open, 'private'),
      MEDIA_SERVICE_SECRET_KEY_FILE: join(open, 'none'),
      MEDIA_SERVICE_SECRETS: closed,
    };
    expect(environmentWarnings(env, false)).toEqual([]);
  });

  test('is not reported in a container, which mounts it with that mode', () => {
    const env = { MEDIA_SERVICE_API_KEY_FILE: join(open, 'public'), KUBERNETES_SERVICE_HOST: '10.0.0.1' };
    expect(environmentWarnings(env)).toEqual([]);
  });
});
