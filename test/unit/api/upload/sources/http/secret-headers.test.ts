import type { RequestListener } from 'node:http';
import type { JsonObject } from '../../../../../../api/json';
import { createUndiciTransport } from '../../../../../../api/transport/undici-transport';
import { redact } from '../../../../../../api/answers/redact';
import { openSource, pinSource } from '../../../../../../files/sources/read-source';
import type { SourceAccess } from '../../../../../../files/sources/source-access';
import type { HttpSource } from '../../../../../../api/upload/sources/source';
import { bytesOf } from '../../../../../support/bytes-of';
import { answerRange } from '../../../../../support/range-server';
import { failureOf } from '../../failure-of';
import { serve } from '../../local-server';

const BODY = Buffer.from('a film behind a login');

const transport = createUndiciTransport();
afterAll(() => transport.close());

/** Serves ranges to clients that send the token. */
const behindLogin: RequestListener = (request, response) => {
  if (request.headers.authorization === 'Bearer canary') answerRange(BODY, request, response);
  else response.writeHead(401).end();
};

function accessWith(secret?: string | JsonObject): SourceAccess {
  const secrets = { read: async () => secret ?? {} };
  const access = { roots: [], sourceHosts: ['127.0.0.1', 'localhost'], transport, unseal: String };
  return secret === undefined ? access : { ...access, secrets };
}

function secretFor(...hosts: string[]): JsonObject {
  return { hosts, headers: { Authorization: 'Bearer canary', 'X-Team': 'films' } };
}

function sourceOf(url: string, headersSecret?: string): HttpSource {
  return { kind: 'http', url, label: 'the label', ...(headersSecret === undefined ? {} : { headersSecret }) };
}

describe('the headers from a secret', () => {
  test('are sent with the pin and with each range', async () => {
    const server = await serve(behindLogin);
    const access = accessWith(secretFor(server.host));
    const pinned = await pinSource(access, sourceOf(`${server.origin}/film.mp4`, 'cdn'));
    expect(await bytesOf(openSource(access, pinned).read(2, 4))).toEqual(BODY.subarray(2, 6));
    expect(server.requests.map(({ headers }) => headers['x-team'])).toEqual(['films', 'films']);
    expect(JSON.stringify(pinned)).not.toContain('canary');
  });

  test('are dropped at a redirect to another host or port', async () => {
    const other = await serve((_request, response) => {
      response.writeHead(206, { 'content-range': 'bytes 0-0/9', etag: '"v1"' }).end('x');
    });
    for (const target of [other.origin, other.origin.replace('127.0.0.1', 'localhost')]) {
      const first = await serve((_request, response) => {
        response.writeHead(302, { location: `${target}/moved.mp4` }).end();
      });
      await pinSource(accessWith(secretFor(first.host)), sourceOf(`${first.origin}/film.mp4`, 'cdn'));
      expect(first.requests[0]?.headers.authorization).toBe('Bearer canary');
    }
    const reached = other.requests.flatMap(({ headers }) => [headers.authorization, headers['x-team']]);
    expect(reached).toEqual(Array(4).fill(undefined));
  });

  test('are not sent to a host that they do not name, and neither is the request', async () => {
    const server = await serve(behindLogin);
    for (const hosts of [['cdn.example'], ['127.0.0.1'], [`evil.${server.host}`]]) {
      const source = sourceOf(`${server.origin}/film.mp4`, 'cdn');
      const failure = await failureOf(pinSource(accessWith(secretFor(...hosts)), source));
      expect([failure.code, redact(failure.message)]).toEqual([
        'Configuration',
        `the secret named "cdn" may go to ${hosts.join(', ')}, not to ${server.host}`,
      ]);
    }
    expect(server.requests).toEqual([]);
  });
});

describe('a source that needs a login', () => {
  test('says where its headers would come from', async () => {
    const server = await serve(behindLogin);
    const url = `${server.origin}/film.mp4`;
    const { code, message, facts } = await failureOf(pinSource(accessWith({}), sourceOf(url)));
    expect([code, message]).toEqual(['SourceMissing', `the source ${url} answered 401`]);
    expect(facts.hint).toContain('{sourceSecret}');
  });

  test('names the secret, but not its content, if it refuses the headers', async () => {
    const server = await serve((_request, response) => response.writeHead(403).end('canary'));
    const source = sourceOf(`${server.origin}/film.mp4`, 'cdn');
    const failure = await failureOf(pinSource(accessWith(secretFor(server.host)), source));
    expect(redact(failure.facts.hint ?? '')).toContain('the secret named "cdn"');
    expect(JSON.stringify([failure.message, failure.facts])).not.toContain('canary');
  });
});

test.each<[string, string | JsonObject | undefined, string]>([
  ['that this process has not', undefined, 'only workers can read the secret of the label'],
  ['that are a text', 'Bearer canary', 'does not list the hosts'],
  ['without hosts', { headers: { a: 'canary' } }, 'does not list the hosts'],
  ['with an empty list of hosts', { hosts: [], headers: {} }, 'does not list the hosts'],
  ['without headers', { hosts: ['127.0.0.1'] }, 'holds no headers'],
  ['with a wrong name', { hosts: ['a'], headers: { 'canary name': 'x' } }, 'an invalid header name'],
  ['with Range', { hosts: ['a'], headers: { Range: 'canary' } }, 'the header range, which a secret must'],
  ['with Host', { hosts: ['a'], headers: { Host: 'canary' } }, 'the header host, which a secret must'],
  ['with two lines', { hosts: ['a'], headers: { x: 'canary\r\nx: y' } }, 'not a single line of text'],
  ['with a number', { hosts: ['a'], headers: { x: 7 } }, 'not a single line of text'],
])('headers %s are refused without being shown', async (_what, secret, says) => {
  const pinning = pinSource(accessWith(secret), sourceOf('http://127.0.0.1:1/film.mp4', 'cdn'));
  const { code, message, facts } = await failureOf(pinning);
  expect([code, facts.field, message]).toEqual(['Configuration', 'secrets', expect.stringContaining(says)]);
  expect(JSON.stringify([message, facts])).not.toContain('canary');
});
