import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { rootCertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ICredentialDataDecryptedObject, INodeCredentialTestResult } from 'n8n-workflow';
import { checkTemporalCredential } from '../../nodes/MediaService/access/check-temporal-credential';
import { temporalAddressOf } from '../../nodes/MediaService/access/temporal-access';
import { MediaService } from '../../nodes/MediaService/MediaService.node';
import { makeCertificate } from '../support/certificate';
import { sharedTemporal } from '../support/servers';

const temporal = sharedTemporal();

const PEM = '-----BEGIN CERTIFICATE-----\nQUJD\n-----END CERTIFICATE-----\n';

/** Any valid certificate, as pasted into a field of one line. */
const CERTIFICATE = (rootCertificates[0] ?? '').replaceAll('\n', ' ');
const KEY = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

const testOf = (data: ICredentialDataDecryptedObject): Promise<INodeCredentialTestResult> =>
  new MediaService().methods.credentialTest.testTemporal({
    id: 'c',
    name: 'Temporal',
    type: 'mediaServiceTemporalApi',
    data: { authentication: 'none', namespace: 'default', ...data },
  });

describe('the test of the credential "Temporal API"', () => {
  test('connects and finds the namespace', async () => {
    expect(await testOf({ address: temporal.address })).toEqual({
      status: 'OK',
      message: 'Connected to namespace "default"',
    });
  });

  test.each<readonly [what: string, change: ICredentialDataDecryptedObject, message: RegExp]>([
    ['a namespace that does not exist', { namespace: 'nobody' }, /has no namespace "nobody"/],
    [
      'TLS to a server without',
      { tls: true },
      /^No Temporal server answers at [\d.:]+: the TLS handshake fails\. TLS is on\. A server without TLS, such as a local one, never answers: turn off "Use TLS" for it \(Authentication "None"\)\. /,
    ],
    [
      'no address',
      { address: ' ' },
      /^Address is empty\. Fill it in\. It is the field "Address" of the credential "Temporal API"\.$/,
    ],
    [
      'an address with a scheme',
      { address: 'http://localhost:7233' },
      /^Address is not host:port .*without scheme or path, for example localhost:7233\. /,
    ],
    [
      'a certificate without its key',
      { authentication: 'mtls', clientCertificate: CERTIFICATE },
      /^Client Private Key is empty\./,
    ],
    ['mTLS with nothing filled in', { authentication: 'mtls' }, /^Client Certificate is empty\./],
    [
      'a malformed client certificate',
      { authentication: 'mtls', clientCertificate: PEM, clientPrivateKey: KEY },
      /^Client Certificate is not a certificate in PEM form\. .*"Client Certificate" of the credential "Temporal API"/,
    ],
    [
      'a malformed client key',
      { authentication: 'mtls', clientCertificate: CERTIFICATE, clientPrivateKey: 'x' },
      /^Client Private Key is not a private key in PEM form, or is encrypted\. /,
    ],
    [
      'a client key of another certificate',
      { authentication: 'mtls', clientCertificate: CERTIFICATE, clientPrivateKey: KEY },
      /^Client Private Key is not the key of the client certificate\. .*"Client Private Key" of the credential "Temporal API"/,
    ],
    [
      'a malformed CA certificate',
      { tls: true, serverCaCertificate: 'x' },
      /^Server CA Certificate is not a certificate in PEM form\. /,
    ],
    ['a malformed codec key', { codecSecretKey: 'abc' }, /codec|key/i],
  ])('reports %s', async (_what, change, message) => {
    const result = await testOf({ address: temporal.address, ...change });
    expect(result.status).toBe('Error');
    expect(result.message).toMatch(message);
  });

  test('names an address that does not answer', async () => {
    expect(await testOf({ address: '127.0.0.1:9' })).toMatchObject({
      status: 'Error',
      message:
        'No Temporal server answers at 127.0.0.1:9: connection refused, nothing listens there. Check address, TLS and API key.',
    });
  });
});

describe('the shared folder of the credential "Temporal API"', () => {
  let root: string;
  beforeAll(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'shared-folder-'));
    process.env['MEDIA_SERVICE_FILE_ROOTS'] = root;
  });
  afterAll(async () => {
    delete process.env['MEDIA_SERVICE_FILE_ROOTS'];
    await rm(root, { recursive: true });
  });

  test('succeeds for a writable folder, and leaves nothing in it', async () => {
    const result = await testOf({ address: temporal.address, sharedFolder: root });
    expect(result).toMatchObject({ status: 'OK' });
    expect(await readdir(root)).toEqual([]);
  });

  test.each([
    ['a relative one', () => 'foo', /^the shared folder foo is not an absolute path\. .*"Shared Folder"/],
    [
      'one that does not exist',
      () => path.join(root, 'nobody'),
      /^the shared folder .*nobody can't be written to\. .*"Shared Folder"/,
    ],
    ['one outside of what n8n may read', () => '/nonexist', /\/nonexist is outside the allowed folders\. /],
  ])('is refused with the reason: %s', async (_what, folder, message) => {
    expect(await testOf({ address: temporal.address, sharedFolder: folder() })).toEqual({
      status: 'Error',
      message: expect.stringMatching(message),
    });
  });
});

test('valid certificates and keys pass the check of the credential', async () => {
  const { cert, key } = await makeCertificate();
  const oneLine = (pem: Buffer): string => pem.toString().replaceAll('\n', ' ');
  const address = temporalAddressOf({
    address: 'h:1',
    authentication: 'mtls',
    serverCaCertificate: CERTIFICATE,
    clientCertificate: oneLine(cert),
    clientPrivateKey: oneLine(key),
  });
  expect(() => checkTemporalCredential(address, true)).not.toThrow();
});

describe("the credential's description of the connection", () => {
  test.each([
    { what: 'nothing', data: { authentication: 'none' }, expected: {} },
    { what: 'TLS alone', data: { authentication: 'none', tls: true }, expected: { tls: true } },
    {
      what: 'an API key, which wants TLS',
      data: { authentication: 'apiKey', apiKey: ' key ' },
      expected: { apiKey: 'key', tls: true },
    },
    {
      what: 'a client certificate whose line breaks were lost',
      data: {
        authentication: 'mtls',
        clientCertificate: PEM.replaceAll('\n', ' '),
        clientPrivateKey: '-----BEGIN PRIVATE KEY-----QUJD-----END PRIVATE KEY-----',
        serverName: 'temporal.internal',
      },
      expected: {
        tls: {
          certPem: PEM,
          keyPem: '-----BEGIN PRIVATE KEY-----\nQUJD\n-----END PRIVATE KEY-----\n',
          serverName: 'temporal.internal',
        },
      },
    },
    {
      what: 'a key of a choice that is not chosen',
      data: { authentication: 'none', apiKey: 'left over', clientCertificate: PEM },
      expected: {},
    },
  ])('$what', ({ data, expected }) => {
    expect(temporalAddressOf({ address: 'h:1', namespace: 'n', ...data })).toEqual({
      address: 'h:1',
      namespace: 'n',
      ...expected,
    });
  });
});
