import { withSimulator } from '../bare-client';

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
