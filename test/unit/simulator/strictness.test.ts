import { BareClient, eTagOf, put, record, textAt, withSimulator, type Reply } from './bare-client';
import type { Simulator } from '../../../simulator/start-simulator';
import { startSimulator } from '../../../simulator/start-simulator';
import { afterTest } from '../../support/after-test';

const messageOf = (reply: Reply): [number, unknown] => [reply.status, record(reply)['message']];

/** A client of another sub-account of the same account. */
async function northOf(simulator: Simulator): Promise<BareClient> {
  const client = new BareClient(simulator);
  client.use(textAt(record(await client.login({ externalId: 'north-studio' })), 'accessToken'));
  return client;
}

describe('another sub-account', () => {
  test('can read, complete and request URLs for only its own sessions', () =>
    withSimulator({}, async (simulator, client) => {
      const north = await northOf(simulator);
      const { uploadId, urls } = await client.started();
      const eTag = eTagOf(await put(urls[0], new Uint8Array(3)));
      const invalid = [400, 'The uploadId is invalid.'];
      expect(messageOf(await north.session(uploadId))).toEqual(invalid);
      expect(messageOf(await north.complete(uploadId, [eTag]))).toEqual(invalid);
      const more = `${simulator.uploadUrl}/upload/${uploadId}/urls`;
      expect(messageOf(await north.call('POST', more, { partNumbers: [1] }))).toEqual(invalid);
      expect((await client.session(uploadId)).status).toBe(200);
      expect((await client.complete(uploadId, [eTag])).status).toBe(202);
    }));

  test('sees only its own media', async () => {
    const owners = async (client: BareClient): Promise<unknown[]> => {
      const { content } = record(await client.search({}, '?size=1000')) as {
        content: { subAccountId: string }[];
      };
      return [...new Set(content.map(({ subAccountId }) => subAccountId))].sort();
    };
    await withSimulator({ searchLagMs: 0 }, async (simulator, client) => {
      const north = await northOf(simulator);
      await north.started();
      expect([await owners(client), await owners(north)]).toEqual([['demo-studio'], ['north-studio']]);
    });
  });
});

// 100 ms are the default.
test.each([
  [5_000, { searchLagMs: 5_000 }],
  [100, {}],
])('search finds the media of an upload after %i ms with the options %j', async (lagMs, options) => {
  let time = Date.now();
  const simulator = await startSimulator({ ...options, now: () => time });
  afterTest(() => simulator.close());
  const client = new BareClient(simulator);
  const { mediaId } = await client.started();
  const found = async (): Promise<unknown> =>
    record(await client.search({ ids: [mediaId] }))['totalElements'];
  time += lagMs - 1;
  expect(await found()).toBe(0);
  time += 1;
  expect(await found()).toBe(1);
});
