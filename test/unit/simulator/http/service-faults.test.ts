import { expect, test } from '@jest/globals';
import { record, withSimulator } from '../bare-client';

const failed = (error: unknown): unknown => error;

test('start-lost makes the session and destroys the connection', () =>
  withSimulator({ faults: ['start-lost'] }, async (simulator, client) => {
    await client.token();
    expect(await client.start().catch(failed)).toMatchObject({ message: 'fetch failed' });
    expect(simulator.seen()).toMatchObject({
      starts: 1,
      answers: { start: { 0: 1 } },
      faults: { struck: { 'start-lost': 1 } },
    });
    expect((await client.start()).status).toBe(201);
  }));

test('start-lost-before and start-503 make no session', () =>
  withSimulator({ faults: ['start-lost-before', 'start-503:seconds=9'] }, async (simulator, client) => {
    await client.token();
    expect(await client.start().catch(failed)).toMatchObject({ message: 'fetch failed' });
    const busy = await client.start();
    expect(busy.status).toBe(503);
    expect(busy.headers.get('retry-after')).toBe('9');
    expect(simulator.seen()).toMatchObject({ starts: 0, sessions: [] });
  }));

test.each([
  ['start-timeout', 0],
  ['start-silent', 1],
])('%s never answers; %d sessions are made', (fault, starts) =>
  withSimulator({ faults: [fault] }, async (simulator, client) => {
    await client.token();
    const leaving = new AbortController();
    const answer = fetch(`${simulator.uploadUrl}/upload/start`, {
      method: 'POST',
      body: JSON.stringify({ amountOfParts: 1, media: { fileType: 'PDF' } }),
      headers: { authorization: `Bearer ${await client.token()}`, 'content-type': 'application/json' },
      signal: leaving.signal,
    }).catch(failed);
    await simulator.waitFor(
      ({ event, operation, status }) => event === 'request' && operation === 'start' && status === 0,
    );
    leaving.abort();
    expect(await answer).toMatchObject({ name: 'AbortError' });
    expect(simulator.seen().starts).toBe(starts);
  }),
);

test('a fault after the operation waits for a request that succeeds', () =>
  withSimulator({ faults: ['start-lost'] }, async (simulator, client) => {
    expect((await client.start({ amountOfParts: 0 })).status).toBe(400);
    expect(simulator.seen().faults.armed).toEqual([{ name: 'start-lost', remaining: 1 }]);
  }));

test.each([
  ['search-500', 500, 'application/json', /Internal Server Error/],
  ['search-502', 502, 'text/html', /<html>/],
  ['search-html', 200, 'text/html', /<html>/],
  ['search-not-json', 200, 'application/json', /^\{"content": \[$/],
  ['search-empty', 200, 'application/json', /^$/],
  ['answer-not-json', 200, 'application/json', /^\{"content": \[$/],
  ['rate-limit-429', 429, 'application/json', /Too Many Requests/],
])('the fault %s answers with its own status, type and body', (fault, status, type, text) =>
  withSimulator({ faults: [fault] }, async (_, client) => {
    const reply = await client.search();
    expect({ status: reply.status, type: reply.headers.get('content-type') }).toEqual({ status, type });
    expect(reply.text).toMatch(text);
    expect((await client.search()).status).toBe(200);
  }),
);

test('search-half breaks off in the middle of the answer', () =>
  withSimulator({ faults: ['search-half'] }, async (_, client) => {
    await client.token();
    expect(await client.search().catch(failed)).toMatchObject({ message: 'terminated' });
  }));

test('search-redirect leads to another origin, which records clients that follow', () =>
  withSimulator({ faults: ['search-redirect'] }, async (simulator, client) => {
    const reply = await client.search();
    expect(reply.status).toBe(307);
    const location = reply.headers.get('location') ?? '';
    expect(new URL(location).origin).toBe(simulator.storageUrl);
    await client.call('POST', location, {});
    expect(simulator.seen().requests['redirected']).toBe(1);
    expect(simulator.seen().bearerToStorage).toHaveLength(1);
  }));

test('token-expired-once ends the token that the request carries', () =>
  withSimulator({ faults: ['token-expired-once:operation=start'] }, async (simulator, client) => {
    expect((await client.search()).status).toBe(200);
    expect((await client.start()).status).toBe(401);
    expect((await client.search()).status).toBe(401);
    expect(simulator.seen().starts).toBe(0);
  }));

test('endless-answer continues until the client closes, and records how much was sent', () =>
  withSimulator({ faults: ['endless-answer'] }, async (simulator, client) => {
    const leaving = new AbortController();
    const answer = await fetch(`${simulator.baseUrl}/api/webhook/search`, {
      headers: { authorization: `Bearer ${await client.token()}`, accept: 'application/json' },
      signal: leaving.signal,
    });
    let read = 0;
    for await (const piece of answer.body ?? []) {
      read += (piece as Uint8Array).length;
      if (read > 3_000_000) break;
    }
    leaving.abort();
    const { bytes = 0 } = await simulator.waitFor(({ event }) => event === 'client-closed');
    expect(bytes).toBeGreaterThan(3_000_000);
    expect(bytes).toBeLessThan(200_000_000);
  }));

test.each<[string, string, RegExp]>([
  ['error-message', 'application/json', /"message":"page must not be below 0\."/],
  ['error-problem', 'application/problem+json', /"detail":"page must not be below 0\."/],
  ['error-list', 'application/json', /"errors":\[\{"code":"BAD_REQUEST"/],
  ['error-text', 'text/plain', /^page must not be below 0\.$/],
  ['error-empty', '', /^$/],
])('errors in the shape %s', (shape, type, text) =>
  withSimulator({ shapes: [shape] }, async (_, client) => {
    const reply = await client.search({}, '?page=-1');
    expect(reply.status).toBe(400);
    expect(reply.headers.get('content-type') ?? '').toBe(type);
    expect(reply.text).toMatch(text);
    expect(reply.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  }),
);

test('every answered request is counted by operation and status', () =>
  withSimulator({}, async (simulator, client) => {
    await client.search();
    await client.search({ type: 'FILM' });
    expect(record(await client.start())['uploadId']).toBeDefined();
    expect(simulator.seen()).toMatchObject({
      logins: 1,
      requests: { login: 1, search: 2, start: 1 },
      answers: { login: { 200: 1 }, search: { 200: 1, 400: 1 }, start: { 201: 1 } },
    });
  }));
