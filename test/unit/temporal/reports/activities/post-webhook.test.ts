import { MediaServiceError } from '../../../../../api/errors';
import { createUndiciTransport } from '../../../../../api/transport/undici-transport';
import { postWebhook, signingKey } from '../../../../../temporal/reports/activities/post-webhook';
import type { WebhookAccess } from '../../../../../temporal/reports/activities/post-webhook';
import { startWebhookReceiver } from '../../../../support/webhook-receiver';
import type { WebhookReceiver } from '../../../../support/webhook-receiver';
import { fakeClock } from '../../../api/fake-clock';

const KEY = 'a signing key of 32 characters..';
const NOW = Date.parse('2026-11-21T06:00:30.900Z');
const BODY = '{"report":"überall"}\n';
const { signal } = new AbortController();
const transport = createUndiciTransport();
const clock = fakeClock(NOW);
const access = (sourceHosts = ['127.0.0.1']): WebhookAccess => ({ transport, sourceHosts, clock });

let hook: WebhookReceiver;
beforeEach(async () => {
  hook = await startWebhookReceiver(KEY);
});
afterEach(() => hook.close());
afterAll(() => transport.close());
const post = async (to: WebhookAccess, secret: unknown = KEY): Promise<void> =>
  postWebhook(to, { url: hook.url, body: BODY, name: '0a1b', key: signingKey(secret, 'signing'), signal });

describe('a post to a webhook', () => {
  it.each([
    ['without a prefix', KEY],
    ['with a line break at its end', `${KEY}\n`],
    ['with the prefix of the standard', `whsec_${Buffer.from(KEY).toString('base64')}`],
  ])(
    'is signed with a key that is written %s, and contains its ID and its time in seconds',
    async (_how, secret) => {
      await post(access(), secret);
      const ids = { 'idempotency-key': '0a1b', 'webhook-id': '0a1b', 'webhook-timestamp': '1795240830' };
      const headers = { 'content-type': 'application/json', ...ids };
      expect(hook.posts).toMatchObject([{ body: BODY, verified: true, headers }]);
    },
  );

  it('is not signed if no secret is named', async () => {
    await postWebhook(access(), { url: hook.url, body: BODY, name: '0a1b', key: undefined, signal });
    expect(
      hook.posts.map(({ headers }) => [headers['idempotency-key'], headers['webhook-signature']]),
    ).toEqual([['0a1b', undefined]]);
  });

  it.each([[{ key: KEY }], [' ']])('is not sent if the secret is %j', async (secret) => {
    await expect(post(access(), secret)).rejects.toMatchObject({ code: 'Configuration' });
    expect(hook.posts).toEqual([]);
  });

  it('is not sent to a private host that is not allowed', async () => {
    await expect(post(access([]))).rejects.toMatchObject({
      code: 'SourceNotAllowed',
      facts: { outcome: 'unsent', field: 'target' },
    });
    expect(hook.posts).toEqual([]);
  });

  it.each([200, 204, 299])('has arrived if it is answered with %d', async (status) => {
    hook.answers.push({ status });
    await expect(post(access())).resolves.toBeUndefined();
  });

  it.each([
    ...[301, 400, 401, 404, 409].map((status) => [status, 'RequestRefused', 'refused'] as const),
    ...[408, 425, 500, 503].map((status) => [status, 'ServiceFailed', 'ambiguous'] as const),
    [429, 'RateLimited', 'ambiguous'] as const,
  ])('answered with %d is %s and %s, and is sent once', async (status, code, outcome) => {
    hook.answers.push({ status, headers: { 'retry-after': '7', location: hook.url } });
    const error: unknown = await post(access()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code, facts: { outcome, status } });
    const wait = error instanceof MediaServiceError ? error.facts.retryAfterMs : error;
    expect(wait).toBe(outcome === 'ambiguous' ? 7_000 : undefined);
    expect(String(error)).not.toContain('never-shown');
    expect(hook.posts).toHaveLength(1);
  });
});
