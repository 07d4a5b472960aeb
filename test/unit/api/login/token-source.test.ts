import { TransportError } from '../../../../api/errors';
import { loginBody, signLoginBody } from '../../../../api/login/login';
import type { TokenSource } from '../../../../api/login/login';
import { fakeClock } from '../fake-clock';
import type { FakeClock } from '../fake-clock';
import { scriptedService } from '../scripted-service';
import type { ScriptedService, SeenCall } from '../scripted-service';

let clock: FakeClock;
let scripted: ScriptedService;
let tokens: TokenSource;

beforeEach(() => {
  clock = fakeClock();
  scripted = scriptedService(clock);
  tokens = scripted.service.tokens;
});

test('a known body and key give the same signature as OpenSSL', () => {
  // printf '%s' '{"timestamp":"2026-11-01T12:00:00.000Z"}' | openssl dgst -sha256 -hmac secret
  const body = loginBody('2026-11-01T12:00:00.000Z');
  expect(signLoginBody(body, 'secret')).toBe(
    '86d939052118bf5da3bfcdef3b5058231912f0ec626e5de5625957e699baeaf2',
  );
});

test('a login signs exactly the text that it sends, with the current timestamp', async () => {
  await tokens.token();
  const [login] = scripted.logins;
  expect(login?.body).toBe('{"timestamp":"2026-11-01T12:00:00.000Z"}');
  expect(login?.headers).toMatchObject({
    'content-type': 'application/json',
    'x-authentication-api-key': 'the-api-key',
    'x-multitenant-external-id': 'sub-7',
    'x-authentication-signature': signLoginBody(login?.body ?? '', 'the-secret-key'),
  });
});

test('100 callers at once share one login', async () => {
  const all = await Promise.all(Array.from({ length: 100 }, () => tokens.token()));
  expect(new Set(all)).toEqual(new Set(['token-1']));
  expect(scripted.logins).toHaveLength(1);
});

test('a caller who aborts does not end the login of the others', async () => {
  const controller = new AbortController();
  const reason = new Error('gone');
  scripted.login = () => {
    controller.abort(reason);
    return { body: { accessToken: 'kept' } };
  };
  const leaving = tokens.token(controller.signal);
  const staying = tokens.token();
  await expect(leaving).rejects.toBe(reason);
  expect(await staying).toBe('kept');
  expect(scripted.logins).toHaveLength(1);
});

test('a token is used for five minutes', async () => {
  await tokens.token();
  clock.advance(5 * 60_000 - 1);
  expect(await tokens.token()).toBe('token-1');
  clock.advance(1);
  expect(await tokens.token()).toBe('token-2');
});

test('a token that somebody else renewed meanwhile is not renewed again', async () => {
  const old = await tokens.token();
  tokens.refuse(old);
  const renewed = await tokens.token();
  tokens.refuse(old);
  expect(await tokens.token()).toBe(renewed);
  expect(scripted.logins).toHaveLength(2);
});

test('login() always logs in, even with a valid token', async () => {
  await tokens.token();
  expect(await tokens.login()).toBe('token-2');
});

test('a login that met a 503 and then a cut connection succeeds, with a new timestamp each time', async () => {
  const begin = clock.now();
  scripted.login = () => {
    clock.advance(1_000);
    if (scripted.logins.length === 1) return { status: 503, headers: { 'retry-after': '2' } };
    if (scripted.logins.length === 2) throw new TransportError('reset', { outcome: 'ambiguous' });
    return { body: { accessToken: 'at-last' } };
  };
  expect(await tokens.login()).toBe('at-last');
  const [first = 0, second = 0] = clock.slept;
  expect(first).toBeGreaterThanOrEqual(2_000);
  const sentAt = [begin, begin + 1_000 + first, begin + 2_000 + first + second];
  expect(scripted.logins.map(({ body }) => body)).toEqual(
    sentAt.map((time) => `{"timestamp":"${new Date(time).toISOString()}"}`),
  );
});

describe('while the secret key is being changed', () => {
  const keyOf = ({ body, headers }: SeenCall): string | undefined =>
    ['the-secret-key', 'earlier', 'coming'].find(
      (key) => headers['x-authentication-signature'] === signLoginBody(body, key),
    );

  test('a refused login is sent again with the other keys, in their order', async () => {
    const changing = scriptedService(clock, { otherSecretKeys: ['earlier', 'coming'] });
    changing.login = () =>
      changing.logins.length < 3 ? { status: 401 } : { body: { accessToken: 'opened' } };
    expect(await changing.service.tokens.token()).toBe('opened');
    expect(changing.logins.map(keyOf)).toEqual(['the-secret-key', 'earlier', 'coming']);
  });

  test('the first refusal is the error if no key works; other errors are never hidden', async () => {
    const changing = scriptedService(clock, { otherSecretKeys: ['earlier'] });
    changing.login = () => ({ status: 401, body: { message: `refused ${changing.logins.length}` } });
    await expect(changing.service.tokens.token()).rejects.toThrow('login failed (401): refused 1');
    changing.login = () => (changing.logins.length % 2 === 1 ? { status: 401 } : { body: 'no token' });
    await expect(changing.service.tokens.token()).rejects.toMatchObject({ code: 'UnreadableAnswer' });
  });
});

describe('a refused login', () => {
  const refusal = { status: 401, body: { message: 'invalid signature for the-secret-key' } };

  test('is not repeated, and says what to check without showing a secret', async () => {
    scripted.login = () => ({ ...refusal, headers: { date: new Date(clock.now()).toUTCString() } });
    const failure = await tokens.token().catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 'LoginRefused',
      message: 'login failed (401): invalid signature for …',
      facts: { status: 401, hint: expect.stringContaining('secret key'), details: { clockSkewMs: 0 } },
    });
    expect(scripted.logins).toHaveLength(1);
  });

  test.each([
    ['47 minutes ahead of', 47, 'more than 30 minutes off'],
    ['31 minutes behind', -31, 'more than 30 minutes off'],
    ['5 minutes ahead of', 5, 'as well'],
  ])('says that our clock is %s the service', async (_name, minutes, advice) => {
    const date = new Date(clock.now() - minutes * 60_000).toUTCString();
    scripted.login = () => ({ ...refusal, headers: { date } });
    const side = `${Math.abs(minutes)} min ${minutes > 0 ? 'ahead of' : 'behind'}`;
    const hint = expect.stringMatching(new RegExp(`${side}.*${advice}`));
    await expect(tokens.token()).rejects.toMatchObject({ facts: { hint } });
  });
});

test.each([401, 403, 404])('a page with %i refuses no login: it is tried again', async (status) => {
  const page = { status, headers: { 'content-type': 'text/html' }, body: '<html>Blocked</html>' };
  const answers = [page, { body: { accessToken: 'second' } }];
  scripted.login = () => answers.shift() ?? page;
  expect(await tokens.login()).toBe('second');
});

const HTML = { 'content-type': 'text/html' };
const UNUSABLE = 'has no usable "accessToken"; it is';
test.each([
  ['no token', { body: { data: { user: 'x' } } }, `${UNUSABLE} {data: {user: string}}`],
  ['an empty token', { body: { accessToken: '' } }, `${UNUSABLE} {accessToken: string}`],
  ['a line break in its token', { body: { accessToken: 'a\r\nb' } }, `${UNUSABLE} {accessToken: string}`],
  ['HTML', { headers: HTML, body: '<html>secret' }, 'is an HTML page (status 200, text/html, 12 characters)'],
  ['text', { body: 'token=secret' }, 'is not JSON (status 200, text/plain, 12 characters)'],
])('an answer with %s is unreadable, and not shown', async (_name, answer, message) => {
  scripted.login = () => answer;
  await expect(tokens.token()).rejects.toMatchObject({
    code: 'UnreadableAnswer',
    message: `login: the answer ${message}`,
  });
});
