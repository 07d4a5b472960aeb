import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { startSimulator } from '../../simulator/start-simulator';
import { listen } from '../support/listen';
import { credentialOf } from './support/credential';
import { testCredential } from './support/credential-test';
import { useService } from './support/service-setting';

const SEARCH = { resource: 'media', operation: 'search' };
const on = useService();

describe('the test of the credential "Media Service API"', () => {
  test('logs in, and searches with the token from the login', async () => {
    const before = on.simulator.seen();
    expect(await testCredential(credentialOf(on.simulator))).toEqual({
      status: 'OK',
      message: 'Connection successful!',
    });
    expect(on.simulator.seen().logins).toBe(before.logins + 1);
    expect(on.simulator.seen().answers['search']?.['200']).toBe((before.answers['search']?.['200'] ?? 0) + 1);
  });

  test('succeeds if the credential is restricted to the domain of its base URL', async () => {
    const own = { allowedHttpRequestDomains: 'domains', allowedDomains: '127.0.0.1' };
    expect(await testCredential(credentialOf(on.simulator, own))).toMatchObject({ status: 'OK' });
  });

  test('names the upload URL if the credential may not use its domain', async () => {
    const base = on.simulator.baseUrl.replace('127.0.0.1', 'localhost');
    const own = { baseUrl: base, allowedHttpRequestDomains: 'domains', allowedDomains: 'localhost' };
    const result = await testCredential(credentialOf(on.simulator, own));
    expect(result).toMatchObject({
      status: 'Error',
      message: expect.stringMatching(/Domain not allowed.*not for 127\.0\.0\.1:/),
    });
  });

  test.each([
    ['a web page', 404, 'text/html', '<!doctype html><p>Not here</p>', /answered 404.*web page/s],
    ['a redirect', 302, 'text/plain', '', /answered 302.*does not redirect/s],
    ['a token it does not know', 401, 'application/json', '{}', /answered 401.*same environment/s],
  ])('reports an upload URL with %s, and what to do', async (_what, status, type, body, message) => {
    const answer: RequestListener = (_request, response) =>
      void response.writeHead(status, { 'content-type': type }).end(body);
    await withServer(answer, async (uploadUrl) => {
      const result = await testCredential(credentialOf(on.simulator, { uploadUrl }));
      expect(result.status).toBe('Error');
      expect(result.message).toMatch(message);
    });
  });

  test('accepts an upload URL that answers 404 to a session it does not know, and one that is overloaded', async () => {
    const own = await startSimulator({ shapes: ['unknown-upload-404'] });
    try {
      expect(await testCredential(credentialOf(own))).toMatchObject({ status: 'OK' });
      expect(own.seen().requests.start).toBeUndefined();
    } finally {
      await own.close();
    }
    await withServer(
      (_request, response) => void response.writeHead(503).end('{}'),
      async (uploadUrl) => {
        const result = await testCredential(credentialOf(on.simulator, { uploadUrl }));
        expect(result).toMatchObject({ status: 'OK' });
      },
    );
  });

  test.each([
    [
      'the base URL, which is the upload URL',
      () => ({ baseUrl: on.simulator.uploadUrl }),
      /404.*"Base URL"/s,
    ],
    [
      'an upload URL with the path of the uploads',
      () => ({ uploadUrl: `${on.simulator.uploadUrl}/upload` }),
      /upload URL answered 404.*Remove \/upload from the end/s,
    ],
  ])('names the field and what to change for %s', async (_what, change, message) => {
    const result = await testCredential(credentialOf(on.simulator, change()));
    expect(result).toMatchObject({ status: 'Error', message: expect.stringMatching(message) });
  });

  test('logs in even if an earlier token is stored', async () => {
    const before = on.simulator.seen().logins;
    await testCredential(credentialOf(on.simulator, { accessToken: 'old' }));
    expect(on.simulator.seen().logins).toBe(before + 1);
  });

  test.each<readonly [what: string, change: ICredentialDataDecryptedObject, message: RegExp]>([
    ['a wrong API key', { apiKey: 'wrong-key' }, /login.*401.*API key, the secret key and the external id/is],
    ['a wrong secret key', { secretKey: 'wrong-secret' }, /login.*401.*secret key/is],
    ['an external id of another account', { externalId: 'nobody' }, /login.*external id/is],
    ['an empty key', { apiKey: '' }, /^API Key is empty.*"API Key" of the credential/s],
    ['a secret with a blank', { secretKey: 'abc ' }, /Secret Key begins or ends with whitespace/],
    ['a malformed address', { baseUrl: 'media.example' }, /Base URL must start with http/],
    [
      'the address of an operation',
      { baseUrl: 'https://m.example/api/login' },
      /path of an operation.*Remove/s,
    ],
    [
      'plain http to another machine',
      { baseUrl: 'http://m.example' },
      /plain http to m\.example.*or turn on Advanced Settings > Allow Plain HTTP if/,
    ],
    [
      'an upload address that is missing',
      { uploadUrl: '' },
      /^Upload URL is empty\. Fill it in\. .*"Upload URL" of the credential/,
    ],
    [
      'nobody at the address',
      { baseUrl: 'http://127.0.0.1:9' },
      /127\.0\.0\.1:9: .*refused.*It is the field "Base URL" of the credential/,
    ],
    [
      'an upload URL that nobody listens at',
      { uploadUrl: 'http://127.0.0.1:9' },
      /login worked.*upload URL.*127\.0\.0\.1:9: .*refused.*Check the address/s,
    ],
    [
      'a domain that the credential is not allowed',
      { allowedHttpRequestDomains: 'domains', allowedDomains: 'media.example' },
      /Domain not allowed.*media\.example, not for 127\.0\.0\.1:.*Add the domains.*"Allowed Domains"/,
    ],
    [
      'a restriction that names no domain',
      { allowedHttpRequestDomains: 'domains', allowedDomains: ' ' },
      /restricted to certain domains, but lists none|No allowed domains specified/,
    ],
  ])('reports %s, and what to do', async (_what, change, message) => {
    const result = await testCredential(credentialOf(on.simulator, change));
    expect(result.status).toBe('Error');
    expect(result.message).toMatch(message);
    expect(result.message).not.toContain(on.simulator.account.secretKey);
  });

  test.each<readonly [what: string, change: ICredentialDataDecryptedObject, message: RegExp]>([
    [
      'an unknown method to ask for URLs',
      { additionalUrls: 'FOO bar' },
      /must begin with one of GET.*Write it as POST .*"Additional URLs Request" of the credential/,
    ],
    [
      'a request for URLs that names no part',
      { additionalUrls: 'GET /upload/{uploadId}/urls' },
      /names neither \{partNumber\}.*"Additional URLs Request" of the credential/,
    ],
    [
      'a request for URLs to another server',
      { additionalUrls: 'GET https://evil.example/{uploadId}/{partNumber}' },
      /additional pre-signed URLs is malformed: after the method comes a path/,
    ],
    [
      'a complete body that is not JSON',
      { completeBody: '{"parts":{parts}' },
      /body of complete is not JSON.*"Complete Body" of the credential/,
    ],
    [
      'a complete body without the parts',
      { completeBody: '{"parts":' },
      /lacks \{parts\}.*"Complete Body" of the credential/,
    ],
    [
      'no parts at all',
      { maxParts: 0 },
      /^Max Parts must be a whole number from 1 to 120\. .*"Max Parts" of the credential/,
    ],
    ['too many parts', { maxParts: 9e9 }, /^Max Parts must be a whole number from 1 to 120\. /],
  ])('names the field for advanced settings with %s, and does not log in', async (_what, change, message) => {
    const before = on.simulator.seen().logins;
    const result = await testCredential(credentialOf(on.simulator, { advanced: true, ...change }));
    expect(result.status).toBe('Error');
    expect(result.message).toMatch(message);
    expect(on.simulator.seen().logins).toBe(before);
  });

  test('succeeds with advanced settings that an upload can use', async () => {
    const advanced = {
      advanced: true,
      additionalUrls: 'GET /upload/{uploadId}/url/{partNumber}',
      completeBody: '{"parts":[{"PartNumber":{partNumber},"ETag":{eTag}}]}',
      maxParts: 3,
      sortSeparator: '',
    };
    expect(await testCredential(credentialOf(on.simulator, advanced))).toMatchObject({ status: 'OK' });
  });

  test('ignores settings that are not shown', async () => {
    const hidden = { advanced: false, additionalUrls: 'FOO bar', completeBody: '{', maxParts: 0 };
    expect(await testCredential(credentialOf(on.simulator, hidden))).toMatchObject({ status: 'OK' });
  });

  test('says what to check for https at a port of plain http', async () => {
    const baseUrl = on.simulator.baseUrl.replace('http:', 'https:');
    const { host } = new URL(baseUrl);
    expect(await testCredential(credentialOf(on.simulator, { baseUrl }))).toEqual({
      status: 'Error',
      message: `login: ${host}: the answer is not TLS; this port seems to speak plain http. Nothing was sent. Check scheme and port of the address: https needs a port that speaks TLS. It is the field "Base URL" of the credential "Media Service API".`,
    });
  });

  test('names the difference if the clock is hours off', async () => {
    on.simulator.fault('login-skew');
    expect(await testCredential(credentialOf(on.simulator))).toMatchObject({
      status: 'Error',
      message: expect.stringMatching(/clock is 120 min behind.*set the clock/),
    });
  });

  test.each<readonly [what: string, answer: RequestListener, message: RegExp]>([
    [
      'a web page',
      (_request, response) => void response.setHeader('content-type', 'text/html').end('<html><p>Welcome'),
      /HTML|web page|not JSON/i,
    ],
    ['JSON without a token', (_request, response) => void response.end('{"token":"x"}'), /accessToken/],
    [
      'a redirect',
      (_request, response) => void response.writeHead(302, { location: 'https://elsewhere.example/' }).end(),
      /302|redirect/i,
    ],
  ])('reports an address that answers with %s', async (_what, answer, message) => {
    await withServer(answer, async (baseUrl) => {
      const result = await testCredential(credentialOf(on.simulator, { baseUrl }));
      expect(result.status).toBe('Error');
      expect(result.message).toMatch(message);
    });
  });

  test('says which call failed if an account may log in but not search', async () => {
    on.simulator.fault('search-403');
    expect(await testCredential(credentialOf(on.simulator))).toEqual({
      status: 'Error',
      message: expect.stringContaining('The login worked, but this account may not search media'),
    });
  });
});

test('a wrong secret key gives the same message in a run, as the error of the node', async () => {
  const { error } = await on.run(SEARCH, {
    credentials: { mediaServiceApi: credentialOf(on.simulator, { secretKey: 'wrong-secret' }) },
  });
  expect(error?.message).toMatch(/login.*401/is);
  expect(error?.description).toMatch(/Check the API key, the secret key and the external id/);
});

async function withServer(answer: RequestListener, use: (baseUrl: string) => Promise<void>): Promise<void> {
  const { url, close } = await listen(createServer(answer));
  await use(url).finally(close);
}
