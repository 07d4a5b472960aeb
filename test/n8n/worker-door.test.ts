import { createServer, request as ask } from 'node:http';
import type { RequestListener } from 'node:http';
import type { ICredentialDataDecryptedObject, INodeParameters } from 'n8n-workflow';
import { MediaServiceWorkerApi } from '../../credentials/MediaServiceWorkerApi.credentials';
import { secretsIn } from '../support/canary';
import { until } from '../support/until';
import { afterTest } from '../support/after-test';
import { listen } from '../support/listen';
import { testCredential } from './support/credential-test';
import { HOST, useUploadSetting } from './support/upload-setting';

const on = useUploadSetting();

async function serve(answer: RequestListener): Promise<string> {
  const { url, close } = await listen(createServer(answer));
  afterTest(close);
  return url;
}

/** Sends the request on to the worker's door. */
const passOn: RequestListener = (request, response) => {
  const { method, url = '', headers } = request;
  const passed = ask(on.gateway.url + url, { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 0, answer.headers);
    answer.pipe(response);
  });
  request.pipe(passed);
};

const path = async (name: string): Promise<INodeParameters> => ({
  path: (await on.writeFile(name, 1)).path,
  ingestKey: name,
});
/** A token, once the gateway knows it. It may only read, or its account is not served. */
async function tokenOf(account?: string): Promise<ICredentialDataDecryptedObject> {
  const token = await on.gateway.makeToken(account ?? 'reader', ['read'], account);
  await until(
    'the token is known',
    () => on.gateway.ask('/v1/uploads?limit=1', { token }),
    ({ status }) => status === (account === undefined ? 200 : 403),
  );
  return { token };
}
const workerOf = (change: ICredentialDataDecryptedObject): ICredentialDataDecryptedObject => ({
  ...on.credentials.mediaServiceWorkerApi,
  ...change,
});
const runWith = (
  parameters: INodeParameters,
  change: ICredentialDataDecryptedObject,
): ReturnType<typeof on.run> =>
  on.run(parameters, { credentials: { mediaServiceWorkerApi: workerOf(change) } });

const page: RequestListener = (_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><html></html>');
};
/** As n8n answers for a webhook that it does not know. */
const n8n: RequestListener = (_request, response) => {
  response
    .writeHead(404, { 'content-type': 'application/json' })
    .end('{"code":404,"message":"not registered"}');
};

describe('a worker', () => {
  test('reads a signed URL with its own credential only, and neither token nor signature is in the run', async () => {
    const file = await on.writeFile('alone.mp4', 1);
    const { url } = await on.serveFile(file.path, 'X-Source-Signature=canary');
    const { items, error, run } = await runWith({ source: 'url', url, ingestKey: 'alone' }, {});
    expect(error).toBeUndefined();
    expect(items[0]?.json).toMatchObject({ status: 'COMPLETED', ingestKey: 'alone' });
    expect(await on.storedSha256()).toBe(file.sha256);
    const stored = JSON.stringify(run.data.resultData);
    expect(secretsIn(stored, [on.gateway.token, 'canary'])).toEqual([]);
  });

  test.each<[string, () => Promise<ICredentialDataDecryptedObject>, RegExp, RegExp]>([
    [
      'with a wrong token',
      async () => ({ token: 'wrong' }),
      /does not accept the token/,
      /tokens create.*"Media Service Worker API"/,
    ],
    ['with an empty token', async () => ({ token: ' ' }), /"Token" of .* is empty/, /tokens create/],
    [
      'with a token that may only read',
      () => tokenOf(),
      /may read; this needs the right to start/,
      /token with this right/,
    ],
    [
      'with a token of an account that it does not serve',
      () => tokenOf('other-1a2b3c4d'),
      /does not serve the account of this token/,
      /Start a worker for this account/,
    ],
    [
      'at an address without a scheme',
      async () => ({ url: 'worker.example:x' }),
      /"URL" of .* is not an address/,
      /https:\/\/worker/,
    ],
    [
      'where nothing listens',
      async () => ({ url: 'http://127.0.0.1:9' }),
      /The worker at http:\/\/127\.0\.0\.1:9 can't be reached/,
      /media-service worker --http.*Check "URL"/,
    ],
    [
      'where a web page answers',
      async () => ({ url: await serve(page) }),
      /No worker answers at http:.*something else \(200\)/,
      /Check "URL"/,
    ],
    [
      'where n8n answers',
      async () => ({ url: await serve(n8n) }),
      /No worker answers at http:.*something else \(404\)/,
      /Check "URL"/,
    ],
    [
      'outside of the allowed domains',
      async () => ({ allowedHttpRequestDomains: 'domains', allowedDomains: 'worker.example' }),
      /127\.0\.0\.1.*[Dd]omain/,
      /.*/,
    ],
  ])('%s is an error that says what to do, and nothing is uploaded', async (_what, change, message, hint) => {
    const { starts } = on.simulator.seen();
    const { error } = await runWith(await path('refused.mp4'), await change());
    expect(error?.message).toMatch(message);
    expect(error?.description).toMatch(hint);
    expect(on.simulator.seen().starts).toBe(starts);
  });

  test('that is too busy or restarts is asked again, and starts the upload once', async () => {
    const before = on.simulator.seen().starts;
    let asked = 0;
    const url = await serve((request, response) => {
      asked += 1;
      if (asked === 1) response.writeHead(503, { 'retry-after': '0' }).end('<html>bad gateway</html>');
      else if (asked === 2) {
        response.writeHead(429, { 'retry-after': '0', 'content-type': 'application/json' });
        response.end('{"error":{"code":"RateLimited","message":"too many"}}');
      } else if (asked === 3 || asked === 5) request.socket.destroy();
      else passOn(request, response);
    });
    const { items, error } = await runWith(await path('busy.mp4'), { url });
    expect(error).toBeUndefined();
    expect(items[0]?.json).toMatchObject({ status: 'COMPLETED' });
    expect(on.simulator.seen().starts).toBe(before + 1);
  });
});

test('a start in n8n and one over HTTP under the same key make one upload', async () => {
  const { starts } = on.simulator.seen();
  const { path: source } = await on.writeFile('both.mp4', 1);
  const body = { source, sourceHost: HOST, ingestKey: 'both' };
  const [{ items, error }, elsewhere] = await Promise.all([
    runWith({ path: source, ingestKey: 'both' }, {}),
    on.gateway.ask('/v1/uploads', { body }),
  ]);
  expect(error).toBeUndefined();
  expect(items[0]?.json).toMatchObject({ status: 'COMPLETED', workflowId: elsewhere.json['id'] });
  expect([items[0]?.json['joined'], elsewhere.json['joined']].sort()).toEqual([false, true]);
  expect(on.simulator.seen().starts).toBe(starts + 1);
});

test('a forced new upload whose start has no answer is not started again', async () => {
  let asked = 0;
  const url = await serve((request) => {
    asked += 1;
    request.socket.destroy();
  });
  const { error } = await runWith({ ...(await path('forced.mp4')), options: { again: true } }, { url });
  expect(error?.message).toMatch(/can't be reached/);
  expect(asked).toBe(1);
});

describe('the test of the credential', () => {
  const tested = (change: ICredentialDataDecryptedObject = {}): ReturnType<typeof testCredential> =>
    testCredential(workerOf(change), new MediaServiceWorkerApi());

  test('succeeds for the door of a worker, also if the URL ends in a slash', async () => {
    expect(await tested({ url: `${on.gateway.url}/` })).toMatchObject({ status: 'OK' });
  });

  test.each<[string, () => Promise<ICredentialDataDecryptedObject>, RegExp]>([
    ['a wrong token', async () => ({ token: 'wrong' }), /does not accept this token/],
    ['a web page', async () => ({ url: await serve(page) }), /but a web page/],
    ['n8n itself', async () => ({ url: await serve(n8n) }), /but something else/],
    ['nothing', async () => ({ url: 'http://127.0.0.1:9' }), /ECONNREFUSED/],
  ])('names %s', async (_what, change, message) => {
    expect(await tested(await change())).toMatchObject({
      status: 'Error',
      message: expect.stringMatching(message),
    });
  });
});
