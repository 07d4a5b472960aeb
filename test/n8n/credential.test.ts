import { createServer } from 'node:http';
import { afterTest } from '../support/after-test';
import type { OutgoingHttpHeaders } from 'node:http';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { listen } from '../support/listen';
import { credentialOf } from './support/credential';
import { testCredential } from './support/credential-test';
import { ownService, useService } from './support/service-setting';

type Change = ICredentialDataDecryptedObject;

const on = useService();

/** The address of a server that always answers so. */
async function serve(status: number, headers: OutgoingHttpHeaders, body = ''): Promise<string> {
  const server = createServer((_request, response) => void response.writeHead(status, headers).end(body));
  const { url, close } = await listen(server);
  afterTest(close);
  return url;
}
const HTML = { 'content-type': 'text/html' };

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
      message: expect.stringMatching(/upload URL.*Domain not allowed.*127\.0\.0\.1/),
    });
  });

  test('accepts an upload URL that answers 404 to a session it does not know, and one that is overloaded', async () => {
    const { simulator } = await ownService({ shapes: ['unknown-upload-404'] });
    expect(await testCredential(credentialOf(simulator))).toMatchObject({ status: 'OK' });
    expect(simulator.seen().requests.start).toBeUndefined();
    const overloaded = credentialOf(on.simulator, { uploadUrl: await serve(503, {}, '{}') });
    expect(await testCredential(overloaded)).toMatchObject({ status: 'OK' });
  });

  test.each<readonly [what: string, change: () => Change | Promise<Change>, message: RegExp]>([
    [
      'an upload URL with a web page',
      async () => ({ uploadUrl: await serve(404, HTML, '<!doctype html><p>Not here</p>') }),
      /answered 404.*web page/s,
    ],
    [
      'an upload URL with a redirect',
      async () => ({ uploadUrl: await serve(302, {}) }),
      /answered 302.*does not redirect/s,
    ],
    [
      'an upload URL with a token it does not know',
      async () => ({ uploadUrl: await serve(401, { 'content-type': 'application/json' }, '{}') }),
      /answered 401.*same environment/s,
    ],
    [
      'a base URL with a web page',
      async () => ({ baseUrl: await serve(200, HTML, '<html><p>Welcome') }),
      /(HTML|web page|not JSON).*"Base URL"/is,
    ],
    [
      'a base URL with a redirect',
      async () => ({ baseUrl: await serve(302, { location: 'https://elsewhere.example/' }) }),
      /(302|redirect).*"Base URL"/is,
    ],
    [
      'a wrong API key',
      () => ({ apiKey: 'wrong-key' }),
      /login.*401.*API key, the secret key and the external id/is,
    ],
    ['an empty key', () => ({ apiKey: '' }), /^API Key is empty.*"API Key" of the credential/s],
    [
      'nobody at the address',
      () => ({ baseUrl: 'http://127.0.0.1:9' }),
      /127\.0\.0\.1:9: .*refused.*It is the field "Base URL" of the credential/,
    ],
    [
      'https at a port of plain http',
      () => ({ baseUrl: on.simulator.baseUrl.replace('http:', 'https:') }),
      /^login: 127\.0\.0\.1:\d+: the answer is not TLS; this port seems to speak plain http\. .*"Base URL" of/,
    ],
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
    [
      'an upload URL that nobody listens at',
      () => ({ uploadUrl: 'http://127.0.0.1:9' }),
      /login worked.*upload URL.*127\.0\.0\.1:9: .*refused.*Check the address/s,
    ],
    [
      'a domain that the credential is not allowed',
      () => ({ allowedHttpRequestDomains: 'domains', allowedDomains: 'media.example' }),
      /Domain not allowed.*127\.0\.0\.1.*media\.example.*Check "Allowed Domains"/,
    ],
    [
      'a restriction that names no domain',
      () => ({ allowedHttpRequestDomains: 'domains', allowedDomains: ' ' }),
      /restricted to certain domains, but lists none|No allowed domains specified/,
    ],
  ])('reports %s, and what to do', async (_what, change, message) => {
    const result = await testCredential(credentialOf(on.simulator, await change()));
    expect(result.status).toBe('Error');
    expect(result.message).toMatch(message);
    expect(result.message).not.toContain(on.simulator.account.secretKey);
  });

  test.each<readonly [what: string, change: Change, message: RegExp]>([
    [
      'a malformed request for URLs',
      { additionalUrls: 'FOO bar' },
      /must begin with one of GET.*Write it as POST .*"Additional URLs Request" of the credential/,
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
  ])('names the field for advanced settings with %s, and does not log in', async (_what, change, message) => {
    const before = on.simulator.seen().logins;
    const result = await testCredential(credentialOf(on.simulator, { advanced: true, ...change }));
    expect(result.status).toBe('Error');
    expect(result.message).toMatch(message);
    expect(on.simulator.seen().logins).toBe(before);
    const hidden = await testCredential(credentialOf(on.simulator, { advanced: false, ...change }));
    expect(hidden).toMatchObject({ status: 'OK' });
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

  test('says which call failed if an account may log in but not search', async () => {
    on.simulator.fault('search-403');
    expect(await testCredential(credentialOf(on.simulator))).toEqual({
      status: 'Error',
      message: expect.stringContaining('The login worked, but this account may not search media'),
    });
  });
});

test('a restriction to other domains is the error of a run, too, and nothing is searched', async () => {
  const { search = 0 } = on.simulator.seen().requests;
  const own = { allowedHttpRequestDomains: 'domains', allowedDomains: 'media.example' };
  const credentials = { mediaServiceApi: credentialOf(on.simulator, own) };
  const { error } = await on.run({ resource: 'media', operation: 'search' }, { credentials });
  expect(error?.message).toMatch(/Domain not allowed.*media\.example/);
  expect(error?.description).toMatch(/Nothing was sent.*Allowed Domains/);
  expect(on.simulator.seen().requests.search ?? 0).toBe(search);
});
