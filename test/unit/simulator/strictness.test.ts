import { describe, expect, test } from '@jest/globals';
import { BareClient, eTagOf, put, record, send, textAt, withSimulator, type Reply } from './bare-client';
import type { SimulatorOptions } from '../../../simulator/options';
import type { Simulator } from '../../../simulator/simulator';
import { startSimulator } from '../../../simulator/start-simulator';

const messageOf = (reply: Reply): [number, unknown] => [reply.status, record(reply)['message']];

/** A client of another sub-account of the same account. */
async function northOf(simulator: Simulator): Promise<BareClient> {
  const client = new BareClient(simulator);
  client.use(textAt(record(await client.login({ externalId: 'north-studio' })), 'accessToken'));
  return client;
}

test('a part without Content-Type is refused, except in the shape part-type-optional', async () => {
  const sent = async (client: BareClient): Promise<Reply> =>
    send((await client.started()).urls[0] ?? '', { method: 'PUT', body: new Uint8Array(3) });
  await withSimulator({}, async (simulator, client) => {
    const reply = await sent(client);
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining('<Code>InvalidRequest</Code>')]);
    expect(simulator.seen().sessions.flatMap(({ parts }) => parts)).toEqual([]);
  });
  await withSimulator({ shapes: ['part-type-optional'] }, async (_, client) =>
    expect((await sent(client)).status).toBe(200),
  );
});

describe('a session of two parts', () => {
  /** The answer to `complete` of the parts that were sent, and the status in which the session ends. */
  async function ended(shapes: readonly string[], bodies: readonly number[]): Promise<[number, unknown]> {
    let result: [number, unknown] = [0, ''];
    await withSimulator({ shapes }, async (simulator, client) => {
      const { uploadId, urls } = await client.started(2);
      const replies = await Promise.all(bodies.map((bytes, at) => put(urls[at], new Uint8Array(bytes))));
      const { status } = await client.complete(uploadId, replies.map(eTagOf));
      if (status === 202) await simulator.waitFor(({ event }) => event === 'session-ended');
      result = [status, simulator.seen().sessions[0]?.status];
    });
    return result;
  }

  test('takes a first part under 5 MiB only in the shape parts-from-5-mb', async () => {
    expect(await ended([], [5_242_879, 1])).toEqual([400, 'PARTIAL']);
    expect(await ended(['parts-from-5-mb'], [5_000_000, 1])).toEqual([202, 'COMPLETED']);
    expect(await ended(['parts-from-5-mb'], [4_999_999, 1])).toEqual([400, 'PARTIAL']);
  });

  test('is completed with one part only in the shape complete-sent', async () => {
    expect(await ended([], [9])).toEqual([400, 'PARTIAL']);
    expect(await ended(['complete-sent'], [9])).toEqual([202, 'COMPLETED']);
    expect(await ended(['complete-sent'], [])).toEqual([400, 'INITIALIZED']);
  });
});

test('metadata beside media is refused in the shape metadata-in-media, and metadata in media only without it', async () => {
  const beside = { media: { fileType: 'MP4' }, metadata: { order: 7 } };
  const inside = { media: { fileType: 'MP4', metadata: { order: 7 } } };
  for (const [shapes, taken, refused] of [
    [[], beside, inside],
    [['metadata-in-media'], inside, beside],
  ] as const)
    await withSimulator({ shapes }, async (_, client) => {
      const reply = await client.start(taken);
      const session = record(await client.session(textAt(record(reply), 'uploadId')));
      expect(session['metadata']).toEqual({ order: 7 });
      expect((await client.start(refused)).status).toBe(400);
    });
});

test('a tag is shown as a list in the shape tag-values-list, and found by its value', async () => {
  for (const [shapes, tags] of [
    [['tag-values-list'], { genre: ['drama'] }],
    [['tag-values-list', 'tags-list'], [{ key: 'genre', value: ['drama'] }]],
  ] as const)
    await withSimulator({ shapes, searchLagMs: 0 }, async (_, client) => {
      await client.start({ media: { fileType: 'MP4', tags: { genre: 'drama' } } });
      expect(record(await client.search({ tags: { genre: 'drama' } }))['content']).toMatchObject([{ tags }]);
    });
});

test('the session has no fileUrl before it is COMPLETED in the shape file-url-at-end', () =>
  withSimulator({ shapes: ['file-url-at-end'] }, async (simulator, client) => {
    const { uploadId, urls } = await client.started();
    const fileUrl = async (): Promise<unknown> => record(await client.session(uploadId))['fileUrl'];
    expect(await fileUrl()).toBeNull();
    await client.complete(uploadId, [eTagOf(await put(urls[0], new Uint8Array(3)))]);
    await simulator.waitFor(({ event }) => event === 'session-ended');
    expect(await fileUrl()).toMatch(/\.mp4$/);
  }));

describe('webhook search', () => {
  const sentAt = '2001-01-01T00:00:00.000Z';
  const query = `?from=2000-12-31T00:00:00Z&to=${sentAt}`;

  test.each([
    ['includes', [], 1],
    ['excludes', ['webhooks-to-exclusive'], 0],
  ] as const)('%s its end in the shapes %j', (_, shapes, count) =>
    withSimulator({ shapes }, async (simulator, client) => {
      simulator.addDelivery({ sentAt });
      expect(JSON.parse((await client.webhooks(query)).text)).toHaveLength(count);
    }),
  );

  test('begins with the newest delivery in the shape webhooks-newest-first', async () => {
    const idsIn = async (shapes: readonly string[]): Promise<string[]> => {
      let ids: string[] = [];
      await withSimulator({ shapes }, async (_, client) => {
        const found = JSON.parse((await client.webhooks('?size=1000')).text) as { id: string }[];
        ids = found.map(({ id }) => id);
      });
      return ids;
    };
    const oldestFirst = await idsIn([]);
    expect(oldestFirst).toHaveLength(60);
    expect(await idsIn(['webhooks-newest-first'])).toEqual(oldestFirst.reverse());
  });
});

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

  test('sees only its own media, except in the shape media-all', async () => {
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
    await withSimulator({ shapes: ['media-all'] }, async (_, client) => {
      expect(await owners(client)).toHaveLength(4);
    });
  });

  test('finds the deliveries of all sub-accounts, except in the shape webhooks-own', async () => {
    const owners = async (client: BareClient, query = ''): Promise<number> => {
      const records = JSON.parse((await client.webhooks(`?size=1000${query}`)).text) as {
        subAccountId: string;
      }[];
      return new Set(records.map(({ subAccountId }) => subAccountId)).size;
    };
    await withSimulator({}, async (_, client) => expect(await owners(client)).toBe(4));
    await withSimulator({ shapes: ['webhooks-own'] }, async (_, client) => {
      expect([await owners(client), await owners(client, '&subAccountId=north-studio')]).toEqual([1, 1]);
    });
  });
});

describe('search finds the media of an upload', () => {
  /** Totals 1 ms before the lag is over, and when it is over. */
  async function foundAround(lagMs: number, options: SimulatorOptions): Promise<unknown[]> {
    let time = Date.now();
    const simulator = await startSimulator({ ...options, now: () => time });
    try {
      const client = new BareClient(simulator);
      const { mediaId } = await client.started();
      const found = async (): Promise<unknown> =>
        record(await client.search({ ids: [mediaId] }))['totalElements'];
      time += lagMs - 1;
      const before = await found();
      time += 1;
      return [before, await found()];
    } finally {
      await simulator.close();
    }
  }

  test('only after searchLagMs', async () =>
    expect(await foundAround(5_000, { searchLagMs: 5_000 })).toEqual([0, 1]));

  test('only after 100 ms if searchLagMs is not set', async () =>
    expect(await foundAround(100, {})).toEqual([0, 1]));
});
