import { expect, test } from '@jest/globals';
import { record, withSimulator } from '../bare-client';

test('a fault after the operation waits for a request that succeeds', () =>
  withSimulator({ faults: ['start-lost'] }, async (simulator, client) => {
    expect((await client.start({ amountOfParts: 0 })).status).toBe(400);
    expect(simulator.seen().faults.armed).toEqual([{ name: 'start-lost', remaining: 1 }]);
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
