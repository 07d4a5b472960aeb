import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { credentialOf } from './support/credential';
import { startSimulator } from '../../simulator/start-simulator';
import { runNode } from './support/run-workflow';

const PAGE = 1000;
/** More items than one call can take as arguments. */
const PAGES = 150;

test('Return All returns 150,000 media for one item', async () => {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const page = Number(searchParams.get('page'));
    const media = Array.from({ length: page < PAGES ? PAGE : 0 }, (_, n) => ({ id: page * PAGE + n }));
    const answer = pathname.endsWith('/search') ? media : { accessToken: 'token' };
    request.resume();
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const { items, error } = await runNode({
      parameters: {
        resource: 'media',
        operation: 'search',
        returnAll: true,
        options: { pageSize: PAGE },
      },
      credentials: {
        mediaServiceApi: { baseUrl, uploadUrl: baseUrl, apiKey: 'a', secretKey: 's', externalId: 'e' },
      },
    });
    expect([error, items.length]).toEqual([undefined, PAGE * PAGES]);
    expect(items.at(-1)?.json).toEqual({ id: PAGE * PAGES - 1 });
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

test('gives everything else in n8n a turn after each 20 refused items', async () => {
  const simulator = await startSimulator();
  const refused = 500;
  let rounds = 0;
  let next = setImmediate(function turn() {
    rounds += 1;
    next = setImmediate(turn);
  });
  try {
    const { items } = await runNode({
      parameters: { resource: 'media', operation: 'search', limit: '={{ -1 - $json.n }}' },
      items: Array.from({ length: refused }, (_, n) => ({ json: { n } })),
      credentials: { mediaServiceApi: credentialOf(simulator) },
      onError: 'continueRegularOutput',
    });
    expect(items.filter(({ json }) => json['error'] !== undefined)).toHaveLength(refused);
    expect(rounds).toBeGreaterThanOrEqual(refused);
  } finally {
    clearImmediate(next);
    await simulator.close();
  }
});
