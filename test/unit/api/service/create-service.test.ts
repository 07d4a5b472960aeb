import { TransportError } from '../../../../api/errors';
import type { ServiceCall } from '../../../../api/service/service';
import { fakeClock } from '../fake-clock';
import type { FakeClock } from '../fake-clock';
import { failureOf } from '../upload/failure-of';
import { scriptedService } from '../scripted-service';
import type { ScriptedAnswer, ScriptedService } from '../scripted-service';

let clock: FakeClock;
let scripted: ScriptedService;

beforeEach(() => {
  clock = fakeClock();
  scripted = scriptedService(clock);
});

function call(more: Partial<ServiceCall> = {}): ServiceCall {
  return {
    operation: 'media search',
    method: 'POST',
    url: 'https://api.example.com/api/media/search',
    body: '{}',
    idempotent: true,
    ...more,
  };
}

const startCall = (): ServiceCall => call({ operation: 'upload start', idempotent: false });

/** Answers the calls one after the other. The last answer repeats. */
function answers(...script: ScriptedAnswer[]): void {
  scripted.operation = () => script[Math.min(scripted.calls.length, script.length) - 1] ?? {};
}

describe('an idempotent call', () => {
  test('has the bearer token of the login and JSON, and needs only one login', async () => {
    answers({ body: { a: 1 } });
    expect(await scripted.service.call(call())).toMatchObject({ status: 200, text: '{"a":1}' });
    await scripted.service.call(call());
    expect(scripted.logins).toHaveLength(1);
    const json = 'application/json';
    const headers = { authorization: 'Bearer token-1', accept: json, 'content-type': json };
    expect(scripted.calls).toMatchObject([{ headers }, { headers }]);
  });

  test('is repeated once with a new token after a 401', async () => {
    answers({ status: 401 }, { body: {} });
    await scripted.service.call(call());
    const tokens = scripted.calls.map(({ headers }) => headers['authorization']);
    expect(tokens).toEqual(['Bearer token-1', 'Bearer token-2']);
  });

  test.each<[string, ScriptedAnswer, calls: number, code: string, outcome: string]>([
    ['when the new tokens of two tries are refused too', { status: 401 }, 4, 'Unauthorized', 'refused'],
    ['after five tries', { status: 500 }, 5, 'ServiceFailed', 'ambiguous'],
    ['after a refusal, which is not repeated', { status: 400 }, 1, 'RequestRefused', 'refused'],
  ])('ends %s, and says what happened', async (_how, answer, calls, code, outcome) => {
    answers({ ...answer, headers: { 'x-request-id': 'req-9' }, body: { error: { message: 'no luck' } } });
    const { status } = answer;
    expect(await failureOf(scripted.service.call(call()))).toMatchObject({
      code,
      message: `media search failed (${status}): no luck`,
      facts: { status, operation: 'media search', outcome, serviceMessage: 'no luck', requestId: 'req-9' },
    });
    expect(scripted.calls).toHaveLength(calls);
  });

  test('waits as long as Retry-After says, then succeeds', async () => {
    answers({ status: 429, headers: { 'retry-after': '7' } }, { body: {} });
    await scripted.service.call(call());
    expect(clock.slept.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThanOrEqual(7000);
    expect(scripted.calls).toHaveLength(2);
  });

  test.each([
    ['a 500', { status: 500 }, 'ServiceFailed'],
    ['a 429', { status: 429, headers: { 'retry-after': '5' } }, 'RateLimited'],
    ['a 409', { status: 409 }, 'RequestRefused'],
  ])('is sent once and fails by %s if a driver retries it', async (_name, answer, code) => {
    answers(answer, { body: {} });
    const { once: service } = scripted.service;
    expect(await failureOf(service.call(call()))).toMatchObject({ code });
    expect(scripted.calls).toHaveLength(1);
    expect(clock.slept).toEqual([]);
  });

  test('logs in once for each try if the login keeps failing', async () => {
    scripted.login = () => ({ status: 500 });
    expect(await failureOf(scripted.service.call(call()))).toMatchObject({ code: 'ServiceFailed' });
    expect(scripted.logins).toHaveLength(5);
    expect(scripted.calls).toHaveLength(0);
  });

  test('ends with the reason of its signal if that aborts during a wait', async () => {
    const controller = new AbortController();
    const reason = new Error('stopped by the caller');
    const { sleep } = clock;
    clock.sleep = (ms, signal) => {
      controller.abort(reason);
      return sleep(ms, signal);
    };
    answers({ status: 500 });
    await expect(scripted.service.call(call({ signal: controller.signal }))).rejects.toBe(reason);
    expect(scripted.calls).toHaveLength(1);
  });
});

describe('a call that is not idempotent', () => {
  test.each([
    ['a 401', { status: 401 }, 'Unauthorized', 'refused'],
    ['a 500', { status: 500 }, 'ServiceFailed', 'ambiguous'],
    ['a 408', { status: 408 }, 'RequestRefused', 'ambiguous'],
    ['a 429', { status: 429, headers: { 'retry-after': '1' } }, 'RateLimited', 'refused'],
    ['a 503 with Retry-After', { status: 503, headers: { 'retry-after': '1' } }, 'RateLimited', 'ambiguous'],
    ['a 400', { status: 400 }, 'RequestRefused', 'refused'],
  ])('is sent once and never again after %s', async (_name, answer, code, outcome) => {
    answers(answer);
    const failure = await failureOf(scripted.service.call(startCall()));
    expect({ code: failure.code, outcome: failure.outcome }).toEqual({ code, outcome });
    expect(scripted.calls).toHaveLength(1);
  });

  test('counts as not sent if the login before it lost its answer', async () => {
    scripted.login = () => {
      throw new TransportError('reset', { outcome: 'ambiguous' });
    };
    const failure = await failureOf(scripted.service.call(startCall()));
    expect(failure).toMatchObject({ code: 'Transport', facts: { operation: 'login', outcome: 'unsent' } });
    expect(scripted.calls).toHaveLength(0);
  });

  test('counts as not sent, and does not wait, when another call met a long Retry-After', async () => {
    answers({ status: 429, headers: { 'retry-after': '120' } });
    await failureOf(scripted.service.call(startCall()));
    clock.advance(20_000);
    expect(await failureOf(scripted.service.call(startCall()))).toMatchObject({
      code: 'RateLimited',
      facts: { operation: 'upload start', outcome: 'unsent', retryAfterMs: 100_000 },
    });
    expect(clock.slept).toEqual([]);
    expect(scripted.calls).toHaveLength(1);
  });

  test('counts as not sent when the login met a Retry-After, and asks for none before it is over', async () => {
    scripted.login = () => ({ status: 429, headers: { 'retry-after': '120' } });
    expect(await failureOf(scripted.service.call(startCall()))).toMatchObject({
      code: 'RateLimited',
      facts: { operation: 'login', outcome: 'unsent', retryAfterMs: 120_000 },
    });
    expect((await failureOf(scripted.service.call(startCall()))).code).toBe('RateLimited');
    expect([scripted.logins, scripted.calls, clock.slept].map(({ length }) => length)).toEqual([1, 0, 0]);
    clock.advance(120_000);
    scripted.login = () => ({ body: { accessToken: 'token' } });
    expect(await scripted.service.call(startCall())).toMatchObject({ status: 200 });
  });

  test('uses no connection of calls that may be repeated', async () => {
    await scripted.service.call(call());
    await scripted.service.call(startCall());
    expect(scripted.calls.map(({ freshConnection }) => freshConnection)).toEqual([false, true]);
  });
});

describe('an answer of the service', () => {
  test('that is compressed without being requested is unreadable', async () => {
    answers({ headers: { 'content-encoding': 'gzip' }, body: 'xx' });
    expect(await failureOf(scripted.service.call(call()))).toMatchObject({ code: 'UnreadableAnswer' });
  });

  test('that redirects is refused with its target, without the query', async () => {
    answers({ status: 302, headers: { location: 'https://elsewhere.example/login?token=abc' } });
    const failure = await failureOf(scripted.service.call(call()));
    expect(failure.facts.hint).toContain('https://elsewhere.example/login?…');
    expect(JSON.stringify(failure)).not.toContain('abc');
  });

  test('that repeats our secrets does not put them into the error', async () => {
    answers({ status: 400, body: { message: 'key the-api-key / the-secret-key with token-1 is odd' } });
    const failure = await failureOf(scripted.service.call(call()));
    expect(failure.facts.serviceMessage).toBe('key … / … with … is odd');
  });
});
