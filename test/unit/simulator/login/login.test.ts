import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { record, textAt, withSimulator } from '../bare-client';

const MINUTE_MS = 60_000;
const ago = (ms: number): string => new Date(Date.now() - ms).toISOString();

describe('login', () => {
  test('returns a refresh token, and an access token that lives 30 minutes', async () => {
    let time = Date.now();
    await withSimulator({ now: () => time }, async (_, client) => {
      const answer = record(await client.login());
      expect(answer['refreshToken']).toEqual(expect.any(String));
      client.use(textAt(answer, 'accessToken'));
      time += 30 * MINUTE_MS - 1;
      expect((await client.search()).status).toBe(200);
      time += 1;
      const reply = await client.search();
      expect([reply.status, record(reply)['message']]).toEqual([401, 'The access token has expired.']);
    });
  });

  test.each([
    ['the timestamp in another zone', { timestamp: ago(0).replace('Z', '+00:00') }],
    ['a timestamp of 29 minutes ago', { timestamp: ago(29 * MINUTE_MS) }],
    ['another sub-account, named in UTF-8', { externalId: Buffer.from('büro-münchen').toString('latin1') }],
    ['a charset in the content type', { contentType: 'application/json; charset=utf-8' }],
  ])('accepts %s', (_, change) =>
    withSimulator({}, async (_simulator, client) => {
      expect((await client.login(change)).status).toBe(200);
    }),
  );

  test.each([
    ['a wrong API key', { apiKey: 'other' }, 401, 'Unknown API key.'],
    ['a wrong secret key', { secretKey: 'other' }, 401, 'The signature does not match.'],
    ['a signature that is not hexadecimal', { signature: 'x' }, 401, 'The signature does not match.'],
    ['a signature in upper case', { signature: 'AB'.repeat(32) }, 401, 'The signature does not match.'],
    ['an unknown external id', { externalId: 'nobody' }, 401, 'Unknown external id.'],
    ['a timestamp of 31 minutes ago', { timestamp: ago(31 * MINUTE_MS) }, 401, 'The timestamp is too old.'],
    ['a timestamp far ahead', { timestamp: ago(-10 * MINUTE_MS) }, 401, 'The timestamp is in the future.'],
    ['a timestamp without zone', { timestamp: '2026-11-21T10:00:00' }, 400, 'timestamp is not an ISO 8601'],
    ['no date as timestamp', { timestamp: '2026-13-41T10:00:00Z' }, 400, 'timestamp is not an ISO 8601'],
    ['no timestamp', { body: '{}' }, 400, 'timestamp is required'],
    ['a further field', { body: '{"timestamp":"x","a":1}' }, 400, 'fields that are not known: a'],
    ['broken JSON', { body: '{' }, 400, 'not a JSON object'],
    ['another content type', { contentType: 'text/plain' }, 415, 'Content-Type must be application/json'],
  ])('refuses %s', (_, change, status, message) =>
    withSimulator({}, async (simulator, client) => {
      const reply = await client.login(change);
      expect({ status: reply.status, message: record(reply)['message'] }).toEqual({
        status,
        message: expect.stringContaining(message),
      });
      expect(simulator.seen().logins).toBe(0);
    }),
  );

  test('checks the signature of the bytes that were sent, not of the text that they mean', () =>
    withSimulator({}, async ({ account }, client) => {
      const text = JSON.stringify({ timestamp: ago(0) });
      const body = `\uFEFF${text}`;
      const signature = createHmac('sha256', account.secretKey).update(text).digest('hex');
      expect((await client.login({ body })).status).toBe(200);
      expect((await client.login({ body, signature })).status).toBe(401);
    }));

  test('uses a wrong clock under login-skew, and shows it in the Date header', () =>
    withSimulator({ faults: ['login-skew:ms=7200000'] }, async (_, client) => {
      const reply = await client.login();
      expect(reply.status).toBe(401);
      const skew = Date.parse(reply.headers.get('date') ?? '') - Date.now();
      expect(Math.round(skew / MINUTE_MS)).toBe(120);
      expect((await client.login()).status).toBe(200);
    }));
});

describe('access tokens', () => {
  test('are issued to each accepted secret key, and to no other', () =>
    withSimulator({}, async (simulator, client) => {
      simulator.acceptSecretKeys(['the next one', simulator.account.secretKey]);
      const statuses = async (): Promise<number[]> => [
        (await client.login({ secretKey: 'the next one' })).status,
        (await client.login()).status,
        (await client.login({ secretKey: 'another one' })).status,
      ];
      expect(await statuses()).toEqual([200, 200, 401]);
      simulator.acceptSecretKeys(['the next one']);
      expect(await statuses()).toEqual([200, 401, 401]);
    }));

  test('are refused if they were issued before expireTokens, but not after it', () =>
    withSimulator({}, async (simulator, client) => {
      const before = await client.token();
      simulator.expireTokens();
      const after = textAt(record(await client.login()), 'accessToken');
      const search = (token: string): Promise<{ status: number }> =>
        client.call('GET', `${simulator.baseUrl}/api/webhook/search`, undefined, {
          accept: 'text/csv',
          authorization: `Bearer ${token}`,
        });
      expect((await search(before)).status).toBe(401);
      expect((await search(after)).status).toBe(200);
      expect((await search('made-up')).status).toBe(401);
    }));
});
