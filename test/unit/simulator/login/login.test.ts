import { createHmac } from 'node:crypto';
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

  test('accepts each secret key of the account, and no other', () =>
    withSimulator({}, async (simulator, client) => {
      const statuses = async (): Promise<number[]> => {
        const keys = ['the next one', simulator.account.secretKey, 'another one'];
        return Promise.all(keys.map(async (secretKey) => (await client.login({ secretKey })).status));
      };
      simulator.acceptSecretKeys(['the next one', simulator.account.secretKey]);
      expect(await statuses()).toEqual([200, 200, 401]);
      simulator.acceptSecretKeys(['the next one']);
      expect(await statuses()).toEqual([200, 401, 401]);
    }));
});
