import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { MAX_RETRY_AFTER_MS } from '../../../../api/retry';
import type { ServiceCall } from '../../../../api/service/service';
import { fakeClock } from '../fake-clock';
import type { FakeClock } from '../fake-clock';
import { failureOf } from '../upload/failure-of';
import { startScriptedService } from '../scripted-service';
import type { ScriptedAnswer, ScriptedService } from '../scripted-service';

let clock: FakeClock;
let scripted: ScriptedService;

beforeEach(async () => {
  clock = fakeClock();
  scripted = await startScriptedService(clock);
});

afterEach(() => scripted.close());

function call(more: Partial<ServiceCall> = {}): ServiceCall {
  return {
    operation: 'media search',
    method: 'POST',
    url: `${scripted.account.baseUrl}/api/media/search`,
    body: '{}',
    idempotent: true,
    ...more,
  };
}

const tokens = (): unknown[] => scripted.calls.map(({ headers }) => headers.authorization);
const startCall = (): ServiceCall => call({ operation: 'upload start', idempotent: false });

/** Answers the calls one after the other. The last answer repeats. */
function answers(...script: ScriptedAnswer[]): void {
  scripted.operation = () => script[Math.min(scripted.calls.length, script.length) - 1];
}

describe('an idempotent call', () => {
  test('has the bearer token of the login and JSON, and needs only one login', async () => {
    answers({ body: { a: 1 } });
    const first = await scripted.service.call(call());
    await scripted.service.call(call());
    expect(first).toMatchObject({ status: 200, text: '{"a":1}' });
    expect(scripted.logins).toHaveLength(1);
    expect(tokens()).toEqual(['Bearer token-1', 'Bearer token-1']);
    expect(scripted.calls[0]?.headers).toMatchObject({
      accept: 'application/json',
      'content-type': 'application/json',
    });
  });

  test('is repeated once with a new token after a 401', async () => {
    answers({ status: 401 }, { body: {} });
    await scripted.service.call(call());
    expect(tokens()).toEqual(['Bearer token-1', 'Bearer token-2']);
  });

  test('ends as Unauthorized when the new tokens of two tries are refused too', async () => {
    answers({ status: 401, body: { message: 'who are you' } });
    expect(await failureOf(scripted.service.call(call()))).toMatchObject({
      code: 'Unauthorized',
      message: 'media search failed (401): who are you',
      facts: { status: 401, operation: 'media search', outcome: 'refused', serviceMessage: 'who are you' },
    });
    expect(scripted.calls).toHaveLength(4);
  });

  test('waits as long as Retry-After says, then succeeds', async () => {
    answers({ status: 429, headers: { 'retry-after': '7' } }, { body: {} });
    await scripted.service.call(call());
    expect(clock.slept.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThanOrEqual(7000);
    expect(scripted.calls).toHaveLength(2);
  });

  test('also waits for a Retry-After that another call got', async () => {
    answers({ status: 503, headers: { 'retry-after': '30' } }, { body: {} });
    const start = clock.now();
    await failureOf(scripted.service.call(call({ idempotent: false })));
    await scripted.service.call(call());
    expect(clock.now() - start).toBeGreaterThanOrEqual(30_000);
  });

  test.each([
    ['a 500', { status: 500 }],
    [
      'a 502 from a proxy',
      { status: 502, headers: { 'content-type': 'text/html' }, body: '<html><title>Bad Gateway</title>' },
    ],
    ['a 408', { status: 408 }],
  ])('survives %s', async (_name, answer) => {
    answers(answer, answer, { body: 'fine' });
    expect((await scripted.service.call(call())).text).toBe('fine');
    expect(scripted.calls).toHaveLength(3);
  });

  test('survives a connection that is cut halfway through the answer', async () => {
    scripted.operation = (_call, request, response) => {
      if (scripted.calls.length > 1) return { body: 'whole' };
      response.writeHead(200, { 'content-length': '1000' });
      response.write('half', () => request.socket.destroy());
      return undefined;
    };
    expect((await scripted.service.call(call())).text).toBe('whole');
  });

  test('gives up after five tries and says what happened', async () => {
    answers({ status: 500, headers: { 'x-request-id': 'req-9' }, body: { error: { message: 'no luck' } } });
    expect(await failureOf(scripted.service.call(call()))).toMatchObject({
      code: 'ServiceFailed',
      facts: { status: 500, serviceMessage: 'no luck', requestId: 'req-9', outcome: 'ambiguous' },
    });
    expect(scripted.calls).toHaveLength(5);
    expect(clock.slept).toHaveLength(4);
  });

  test('does not wait long if a driver retries it, nor does a later one', async () => {
    answers({ status: 429, headers: { 'retry-after': '3600' } }, { body: {} });
    const { once: service } = scripted.service;
    const facts = { retryAfterMs: MAX_RETRY_AFTER_MS };
    expect(await failureOf(service.call(call()))).toMatchObject({
      code: 'RateLimited',
      facts: { ...facts, outcome: 'refused' },
    });
    expect(await failureOf(service.call(call()))).toMatchObject({
      code: 'RateLimited',
      facts: { ...facts, outcome: 'unsent' },
    });
    expect(scripted.calls).toHaveLength(1);
    expect(clock.slept).toEqual([]);
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

  test('waits if the login answers with a long Retry-After', async () => {
    scripted.login = () =>
      scripted.logins.length === 1
        ? { status: 429, headers: { 'retry-after': '120' } }
        : { body: { accessToken: 'token' } };
    const start = clock.now();
    await scripted.service.call(call());
    expect(clock.now() - start).toBeGreaterThanOrEqual(120_000);
    expect(scripted.logins).toHaveLength(2);
  });

  test('logs in once for each try if the login keeps failing', async () => {
    scripted.login = () => ({ status: 500 });
    expect(await failureOf(scripted.service.call(call()))).toMatchObject({ code: 'ServiceFailed' });
    expect(scripted.logins).toHaveLength(5);
    expect(scripted.calls).toHaveLength(0);
  });

  test('is not repeated after a refusal', async () => {
    answers({ status: 400, body: { message: 'page below 0' } });
    expect(await failureOf(scripted.service.call(call()))).toMatchObject({
      code: 'RequestRefused',
      facts: { serviceMessage: 'page below 0', outcome: 'refused' },
    });
    expect(scripted.calls).toHaveLength(1);
  });

  test('ends at once when its signal aborts during a wait', async () => {
    const controller = new AbortController();
    const reason = new Error('stopped by the caller');
    scripted.operation = () => {
      controller.abort(reason);
      return { status: 500 };
    };
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

  test('is ambiguous and sent once if its connection is cut', async () => {
    scripted.operation = (_call, request) => void request.socket.destroy();
    const failure = await failureOf(scripted.service.call(startCall()));
    expect(failure).toMatchObject({
      code: 'Transport',
      facts: { operation: 'upload start', outcome: 'ambiguous' },
    });
    expect(scripted.calls).toHaveLength(1);
  });

  test('counts as not sent if the login before it lost its answer', async () => {
    scripted.login = (_call, request) => void request.socket.destroy();
    const failure = await failureOf(scripted.service.call(startCall()));
    expect(failure).toMatchObject({ code: 'Transport', facts: { operation: 'login', outcome: 'unsent' } });
    expect(scripted.calls).toHaveLength(0);
  });

  test.each([
    ['another call met', 'operation', 'upload start'],
    ['the login before it met', 'login', 'login'],
  ] as const)(
    'counts as not sent, and does not wait, when %s a long Retry-After',
    async (_name, met, operation) => {
      const busy = { status: 429, headers: { 'retry-after': '120' } };
      if (met === 'operation') {
        answers(busy);
        await failureOf(scripted.service.call(call({ idempotent: false })));
        clock.advance(20_000);
      } else {
        scripted.login = () => busy;
      }
      const sent = scripted.calls.length;
      const failure = await failureOf(scripted.service.call(startCall()));
      expect(failure).toMatchObject({
        code: 'RateLimited',
        facts: { operation, outcome: 'unsent', retryAfterMs: met === 'operation' ? 100_000 : 120_000 },
      });
      expect(clock.slept).toEqual([]);
      expect(scripted.calls).toHaveLength(sent);
    },
  );

  test('does not ask for a login again before the Retry-After of the last one is over', async () => {
    scripted.login = () => ({ status: 429, headers: { 'retry-after': '120' } });
    const start = call({ idempotent: false });
    await failureOf(scripted.service.call(start));
    expect((await failureOf(scripted.service.call(start))).code).toBe('RateLimited');
    expect(scripted.logins).toHaveLength(1);
    clock.advance(120_000);
    scripted.login = () => ({ body: { accessToken: 'token' } });
    expect(await scripted.service.call(start)).toMatchObject({ status: 200 });
  });

  test('waits for a short Retry-After that another call got', async () => {
    answers({ status: 429, headers: { 'retry-after': '5' } }, { body: {} });
    await failureOf(scripted.service.call(call({ idempotent: false })));
    await scripted.service.call(call({ idempotent: false }));
    expect(clock.slept).toEqual([5_000]);
  });

  test('uses a new token after a 401 of an earlier call', async () => {
    answers({ status: 401 }, { body: {} });
    await failureOf(scripted.service.call(call({ idempotent: false })));
    await scripted.service.call(call({ idempotent: false }));
    expect(tokens()).toEqual(['Bearer token-1', 'Bearer token-2']);
  });

  test('uses no connection of calls that may be repeated', async () => {
    const sockets = new Set<unknown>();
    scripted.operation = (_call, request) => {
      sockets.add(request.socket);
      return { body: {} };
    };
    await scripted.service.call(call());
    await scripted.service.call(call({ idempotent: false }));
    expect(sockets.size).toBe(2);
  });
});

describe('an answer of the service', () => {
  test('without end is aborted at the size cap, and its connection is closed', async () => {
    const closed = new Promise<void>((resolve) => {
      scripted.operation = (_call, { socket }, response) => {
        socket.once('close', () => resolve());
        response.writeHead(200);
        const flood = (): void => {
          while (!response.destroyed && response.write(Buffer.alloc(16_384, 'x')));
        };
        response.on('drain', flood);
        flood();
        return undefined;
      };
    });
    await scripted.service.tokens.token();
    const before = scripted.taken();
    const failure = await failureOf(scripted.service.call(call()));
    await closed;
    expect(failure).toMatchObject({
      code: 'UnreadableAnswer',
      facts: { details: { maxBytes: 32 * 1024 * 1024 }, operation: 'media search' },
    });
    // The piece that exceeds the cap is the last one: a connection delivers at most 64 KiB at once.
    expect(scripted.taken() - before).toBeGreaterThan(32 * 1024 * 1024);
    expect(scripted.taken() - before).toBeLessThanOrEqual(32 * 1024 * 1024 + 65_536);
    expect(scripted.calls).toHaveLength(1);
  });

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

test('a service uses its defaults for options that are unset or undefined', () => {
  expect(scripted.service.options).toEqual({
    ingestTag: 'ingestKey',
    completeBody: '{"parts":{parts}}',
    maxParts: 120,
    sortSeparator: ',',
    allowPlainHttp: false,
  });
});
