import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RequestListener, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { text } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { isRetryable } from '../../../../api/retry';
import { createS3 } from '../../../../files/s3/s3-client';
import type { S3Objects } from '../../../../files/s3/s3-client';
import { useCredentials } from '../../../support/aws-credentials';
import { afterTest, tempFolder } from '../../../support/after-test';
import { makeIssued } from '../../../support/certificate';
import { startForwardProxy } from '../../../support/forward-proxy';
import type { ForwardProxy } from '../../../support/forward-proxy';
import { failureOf } from '../../api/upload/failure-of';
import { serve } from '../../api/upload/local-server';
import type { LocalServer } from '../../api/upload/local-server';
import { freePort } from '../../../support/free-port';
import { listen } from '../../../support/listen';

const OBJECT = { bucket: 'films', key: 'a/clip.mp4' };

useCredentials('key', 'secret-canary');
beforeAll(() => Promise.all([import('@aws-sdk/client-s3'), import('@aws-sdk/lib-storage')]));

/** No key is in the environment until the test ends. The chain ends before it asks this machine's metadata service. */
function useNoKey(env: Readonly<Record<string, string>> = {}): void {
  const { AWS_ACCESS_KEY_ID } = process.env;
  Reflect.deleteProperty(process.env, 'AWS_ACCESS_KEY_ID');
  const nowhere = { AWS_CONFIG_FILE: '/nowhere', AWS_SHARED_CREDENTIALS_FILE: '/nowhere' };
  const set = { AWS_EC2_METADATA_DISABLED: 'true', ...nowhere, ...env };
  Object.assign(process.env, set);
  afterTest(() => {
    for (const name of Object.keys(set)) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, { AWS_ACCESS_KEY_ID });
  });
}

function s3At(endpoint: string): S3Objects {
  const s3 = createS3({ endpoint, region: 'eu-north-1' });
  afterTest(() => s3.close());
  return s3;
}

async function s3Behind(listener: RequestListener): Promise<{ s3: S3Objects; server: LocalServer }> {
  const server = await serve(listener);
  return { s3: s3At(server.origin), server };
}

/** Refuses as S3 does. */
function refuse(response: ServerResponse, status: number, code: string): void {
  const xml = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code} of AWS4-canary</Message></Error>`;
  response.writeHead(status, { 'content-type': 'application/xml', 'x-amz-request-id': 'REQ1' }).end(xml);
}

describe('a request to S3', () => {
  test('has range and version, is signed for the region, and has the bucket in its path', async () => {
    const { s3, server } = await s3Behind((_request, response) => {
      const headers = { 'content-range': 'bytes 2-4/10', 'content-length': 3, etag: '"etag"' };
      response.writeHead(206, headers).end('cde');
    });
    const object = { ...OBJECT, versionId: 'v7' };
    const reading = { range: { offset: 2, length: 3 }, fingerprint: 's3;bytes=10;etag="etag"' };
    expect(await text(s3.read(object, reading))).toBe('cde');
    const [request] = server.requests;
    // Some stores refuse their own ETag. Each answer's is compared instead.
    expect(request?.headers).not.toHaveProperty('if-match');
    expect(request?.url).toMatch(/^\/films\/a\/clip\.mp4\?.*versionId=v7/);
    expect(request?.headers).toMatchObject({
      range: 'bytes=2-4',
      authorization: expect.stringContaining('/eu-north-1/s3/aws4_request'),
    });
  });

  test('uses the region of the environment, or us-east-1', async () => {
    const asked: (string | undefined)[] = [];
    const listener: RequestListener = ({ headers }, response) => {
      asked.push(/\d{8}\/([^/]+)\/s3/.exec(headers.authorization ?? '')?.[1]);
      response.writeHead(200).end();
    };
    const server = await serve(listener);
    for (const region of ['ap-south-1', '']) {
      process.env['AWS_REGION'] = region;
      const s3 = createS3({ endpoint: server.origin });
      await text(s3.read(OBJECT));
      s3.close();
    }
    delete process.env['AWS_REGION'];
    expect(asked).toEqual(['ap-south-1', 'us-east-1']);
  });
});

describe('a range of a pinned version', () => {
  const TIME = 'Wed, 21 Oct 2015 07:28:00 GMT';
  const LATER = 'Wed, 21 Oct 2015 07:28:01 GMT';
  const pinned = 's3;bytes=10;modified=2015-10-21T07:28:00.000Z';
  const again =
    'it was bytes=10, modified=2015-10-21T07:28:00.000Z, and is bytes=10, modified=2015-10-21T07:28:01';

  test.each<[string, string, Record<string, string>, string | undefined]>([
    ['of a store without ETags that was written again', pinned, { 'last-modified': LATER }, again],
    ['of a store without ETags that stayed', pinned, { 'last-modified': TIME }, undefined],
    ['of a store that says only a size', 's3;bytes=10', {}, undefined],
    ['that has another size', 's3;bytes=11', {}, 'it was bytes=11, and is bytes=10'],
    ['whose ETag is another', 's3;bytes=10;etag="a"', { etag: '"b"' }, 'and is bytes=10, etag="b"'],
    ['that was copied', 's3;bytes=10;etag="a"', { etag: '"a"', 'last-modified': LATER }, undefined],
  ])('%s', async (_what, fingerprint, headers, difference) => {
    const { s3 } = await s3Behind((_request, response) => {
      const range = { 'content-range': 'bytes 2-4/10', 'content-length': '3' };
      response.writeHead(206, { ...range, ...headers }).end('cde');
    });
    const reading = s3.read(OBJECT, { range: { offset: 2, length: 3 }, fingerprint });
    if (difference === undefined) return expect(await text(reading)).toBe('cde');
    // No byte comes before it.
    const failure = await failureOf(reading.next());
    expect([failure.code, failure.message]).toEqual(['SourceChanged', expect.stringContaining(difference)]);
    expect(failure.message).toContain('s3://films/a/clip.mp4');
  });

  test.each([
    ['the whole object', { 'content-length': '10' }, 'the whole object, 10 bytes'],
    ['another range', { 'content-range': 'bytes 0-2/10', 'content-length': '3' }, 'bytes 0-2/10'],
  ])('that is answered with %s is refused, with what came', async (_what, headers, came) => {
    const { s3 } = await s3Behind((_request, response) => {
      response.writeHead(200, headers).end('abcdefghij'.slice(0, Number(headers['content-length'])));
    });
    const failure = await failureOf(text(s3.read(OBJECT, { range: { offset: 2, length: 3 } })));
    expect([failure.code, isRetryable(failure)]).toEqual(['SourceMissing', false]);
    expect(failure.message).toContain(`it was asked for bytes 2-4 and sent ${came}`);
  });

  test('over the whole object is read if the store answers it with 200', async () => {
    const { s3 } = await s3Behind((_request, response) => {
      response.writeHead(200, { 'content-length': '10' }).end('abcdefghij');
    });
    const reading = { range: { offset: 0, length: 10 }, fingerprint: 's3;bytes=10' };
    expect(await text(s3.read(OBJECT, reading))).toBe('abcdefghij');
  });
});

test('the credentials of a request come from the named profile if the environment holds none', async () => {
  const file = join(await tempFolder('profile'), 'credentials');
  await writeFile(file, '[films]\naws_access_key_id = FILMSKEY\naws_secret_access_key = s\n');
  useNoKey({ AWS_SHARED_CREDENTIALS_FILE: file, AWS_PROFILE: 'films' });
  const { s3, server } = await s3Behind((_request, response) => response.writeHead(200).end());
  await text(s3.read(OBJECT));
  expect(server.requests[0]?.headers.authorization).toContain('Credential=FILMSKEY/');
});

describe('the proxy of the process', () => {
  const endpoint = (server: LocalServer): string => server.origin.replace('127.0.0.1', 'storage.example');
  const throughProxy = async (options: Parameters<typeof startForwardProxy>[0]): Promise<ForwardProxy> => {
    const proxy = await startForwardProxy({ names: { 'storage.example': '127.0.0.1' }, ...options });
    afterTest(() => proxy.close());
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY']) {
      afterTest(() => Reflect.deleteProperty(process.env, name));
      process.env[name] = name === 'NO_PROXY' ? '' : proxy.url;
    }
    return proxy;
  };

  test('carries what is read and written, by names that only it knows, unless NO_PROXY names them', async () => {
    const proxy = await throughProxy({});
    const { server } = await s3Behind((request, response) => {
      request.resume().on('end', () => response.writeHead(200, { etag: '"1"' }).end('film'));
    });
    const s3 = s3At(endpoint(server));
    expect(await text(s3.read(OBJECT))).toBe('film');
    await s3.write(OBJECT, one('film'));
    const address = `${endpoint(server)}/${OBJECT.bucket}/${OBJECT.key}`;
    expect(proxy.seen).toEqual([`GET ${address}`, `PUT ${address}`]);
    process.env['NO_PROXY'] = '127.0.0.0/8';
    const forwarded = proxy.seen.length;
    expect(await text(s3At(server.origin).read(OBJECT))).toBe('film');
    expect(proxy.seen).toHaveLength(forwarded);
  });

  test('carries https in a tunnel', async () => {
    const origin = await startTls('storage.example');
    const proxy = await throughProxy({});
    const failure = await failureOf(text(s3At(origin).read(OBJECT)));
    expect(failure.message).toContain('issued by Company Root CA');
    expect(proxy.seen).toContain(`CONNECT ${new URL(origin).host}`);
  });

  test('is named by the error if nothing answers there', async () => {
    const proxy = await throughProxy({});
    await proxy.close();
    const failure = await failureOf(text(s3At('http://storage.example:9000').read(OBJECT)));
    expect(failure.message).toContain(`the proxy ${proxy.url}: the connection was refused (ECONNREFUSED)`);
  });

  test('is named by the error if it wants a password', async () => {
    const proxy = await throughProxy({ login: 'jo:p@ss' });
    const failure = await failureOf(text(s3At('http://storage.example:9000').read(OBJECT)));
    expect(failure.message).toBe(`the proxy ${proxy.url} asks for a user and a password (407)`);
    expect(isRetryable(failure)).toBe(false);
  });
});

let ca: Buffer | string;

/** Starts S3 over TLS for the name, with a certificate of the company. */
async function startTls(name: string): Promise<string> {
  const { ca: authority, ...own } = await makeIssued('Company Root CA', [name]);
  ca = authority;
  const server = createTlsServer(own, (_request, response) =>
    response.writeHead(200, { 'content-length': 4 }).end('film'),
  );
  const { port, close } = await listen(server);
  afterTest(close);
  return `https://${name}:${port}`;
}

test('the issuer of a certificate that is not trusted is named, and once it is trusted, the object is read', async () => {
  const endpoint = await startTls('localhost');
  const s3 = s3At(endpoint);
  expect(await failureOf(text(s3.read(OBJECT)))).toMatchObject({
    message: `S3 at ${endpoint} can't be reached for s3://films/a/clip.mp4: its certificate, issued by Company Root CA, is not trusted (UNABLE_TO_VERIFY_LEAF_SIGNATURE)`,
    facts: { hint: expect.stringContaining('{certificates}'), details: { permanent: true } },
  });
  const before = getCACertificates('default');
  afterTest(() => setDefaultCACertificates(before));
  setDefaultCACertificates([...before, ca.toString()]);
  expect(await text(s3.read(OBJECT))).toBe('film');
  // It leaves the content unread, so that the connection is destroyed without an error.
  expect(await s3.facts(OBJECT)).toMatchObject({ bytes: 4 });
});

describe('a refusal by S3', () => {
  test.each([
    [403, 'AccessDenied', 'SourceMissing', 'may not be read with these credentials (AccessDenied)', false],
    [
      403,
      'InvalidAccessKeyId',
      'Configuration',
      'does not accept the credentials (InvalidAccessKeyId)',
      false,
    ],
    [403, 'SignatureDoesNotMatch', 'Configuration', '(SignatureDoesNotMatch)', false],
    // The code of versitygw for an unknown access key.
    [403, 'XAdminUserNotFound', 'Configuration', 'does not accept the credentials', false],
    [400, 'ExpiredToken', 'Configuration', 'have expired (ExpiredToken)', true],
    [400, 'RequestTimeout', 'ServiceFailed', 'answered 400 (RequestTimeout)', true],
    [400, 'Throttling', 'ServiceFailed', 'answered 400 (Throttling)', true],
    [403, 'RequestTimeTooSkewed', 'Configuration', 'clock is wrong', true],
    [301, 'PermanentRedirect', 'Configuration', 'the bucket films is in another region', false],
    [404, 'NoSuchBucket', 'SourceMissing', 'the bucket films does not exist', false],
    [404, 'NoSuchKey', 'SourceMissing', 's3://films/a/clip.mp4 does not exist', false],
    [404, 'NoSuchVersion', 'SourceMissing', 's3://films/a/clip.mp4 has no such version', false],
    [403, 'InvalidObjectState', 'SourceMissing', 'is in an archive', false],
    [500, 'InternalError', 'ServiceFailed', 'answered 500 (InternalError)', true],
    [503, 'SlowDown', 'ServiceFailed', 'answered 503 (SlowDown)', true],
    [418, 'Teapot', 'SourceMissing', 'was refused: Teapot, status 418', false],
  ])(
    'with %i %s is %s, without what was signed, and is retried only if waiting may help',
    async (status, s3Code, code, says, retried) => {
      const { s3 } = await s3Behind((_request, response) => refuse(response, status, s3Code));
      const failure = await failureOf(s3.facts(OBJECT));
      expect([failure.code, isRetryable(failure)]).toEqual([code, retried]);
      expect(failure.message).toContain(says);
      expect(JSON.stringify([failure.message, failure.facts, failure.cause])).not.toContain('canary');
    },
  );

  test('of a write is reported as a failed output', async () => {
    const { s3 } = await s3Behind((request, response) => {
      request.resume().on('end', () => refuse(response, 403, 'AccessDenied'));
    });
    const failure = await failureOf(s3.write(OBJECT, one('words')));
    expect([failure.code, failure.facts.requestId]).toEqual(['OutputFailed', 'REQ1']);
    expect(failure.message).toContain('may not be written with these credentials (AccessDenied)');
  });
});

describe('an unavailable S3', () => {
  test.each([
    ['nothing listens', async () => `http://127.0.0.1:${String(await freePort())}`],
    ['its name does not resolve', async () => 'http://s3.invalid'],
  ])('is named by its endpoint and retried while %s', async (_what, endpointOf) => {
    const endpoint = await endpointOf();
    const failure = await failureOf(createS3({ endpoint }).facts(OBJECT));
    expect([failure.code, isRetryable(failure)]).toEqual(['Transport', true]);
    expect(failure.message).toContain(`S3 at ${endpoint} can't be reached for s3://films/a/clip.mp4`);
    expect(failure.facts.hint).toContain('{s3Endpoint}');
  });

  test('without credentials says so and is retried, since a provider that does not answer gives the same error', async () => {
    useNoKey();
    const { s3, server } = await s3Behind((_request, response) => response.end());
    const failure = await failureOf(s3.facts(OBJECT));
    expect([failure.code, failure.facts.field, isRetryable(failure)]).toEqual(['Configuration', 's3', true]);
    expect(failure.facts.hint).toContain('{s3Credentials}');
    expect(server.requests).toEqual([]);
  });
});

describe('the body of an S3 answer', () => {
  test('that ends early is a temporary error', async () => {
    const { s3 } = await s3Behind((_request, response) => {
      response.writeHead(206, { 'content-length': 10 }).write('half', () => response.destroy());
    });
    const failure = await failureOf(text(s3.read(OBJECT, { range: { offset: 0, length: 10 } })));
    expect(failure.code).toBe('Transport');
  });

  test('is aborted with the reason of its signal', async () => {
    const stopping = new AbortController();
    const { s3 } = await s3Behind((_request, response) => {
      response.writeHead(200, { 'content-length': 10 }).write('half');
    });
    const reason = new Error('no more');
    const reading = (async () => {
      for await (const chunk of s3.read(OBJECT, { signal: stopping.signal })) {
        if (chunk.byteLength > 0) stopping.abort(reason);
      }
    })();
    await expect(reading).rejects.toBe(reason);
    // Ended by the abort, not by the time-out of a silent connection, which is longer.
  }, 30_000);
});

async function* one(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
