import { createServer } from 'node:http';
import type { INodeParameters } from 'n8n-workflow';
import type { JsonObject } from '../../api/json';
import { startSimulator } from '../../simulator/start-simulator';
import { afterTest } from '../support/after-test';
import { listen } from '../support/listen';
import { asText } from './support/as-text';
import { credentialOf } from './support/credential';
import { storedText } from './support/run-workflow';
import type { NodeRun, runNode } from './support/run-workflow';
import { useService } from './support/service-setting';

const on = useService();
let everything: JsonObject[] = [];
beforeAll(async () => {
  everything = (await search({ returnAll: true, simplify: false })).items.map(
    ({ json }) => json as JsonObject,
  );
});

const search = (parameters: INodeParameters, more: Partial<NodeRun> = {}): ReturnType<typeof runNode> =>
  on.run({ resource: 'media', operation: 'search', ...parameters }, more);

const idsOf = async (parameters: INodeParameters): Promise<unknown[]> => {
  const { items, error } = await search({ returnAll: true, ...parameters });
  expect(error).toBeUndefined();
  return items.map(({ json }) => json['id']);
};
const idsWhere = (matches: (media: JsonObject) => boolean): unknown[] =>
  everything.filter(matches).map(({ id }) => id);

describe('Media > Search', () => {
  test('ends at Limit, and requests no more than it needs', async () => {
    const before = on.simulator.seen().requests['search'] ?? 0;
    const { items } = await search({ limit: 7 });
    expect(items).toHaveLength(7);
    expect(on.simulator.seen().requests['search']).toBe(before + 1);
  });

  test('uses Sort Separator of the credential', async () => {
    const spaced = await startSimulator({ shapes: ['sort-space'] });
    afterTest(() => spaced.close());
    const advanced = credentialOf(spaced, { advanced: true, sortSeparator: ' ' });
    const { error } = await search(
      { limit: 5, sort: 'title,DESC' },
      { credentials: { mediaServiceApi: advanced } },
    );
    expect(error).toBeUndefined();
  });

  test.each<{ filter: string; filters: INodeParameters; matches: (media: JsonObject) => boolean }>([
    { filter: 'Type', filters: { type: 'AUDIO' }, matches: ({ type }) => type === 'AUDIO' },
    { filter: 'In Library', filters: { isLibrary: true }, matches: ({ isLibrary }) => isLibrary === true },
    { filter: 'not Active', filters: { isActive: false }, matches: ({ isActive }) => isActive === false },
    {
      filter: 'Tags',
      filters: { tags: '{"project":"beta","region":"north"}' },
      matches: ({ tags }) =>
        (tags as JsonObject)['project'] === 'beta' && (tags as JsonObject)['region'] === 'north',
    },
  ])('finds exactly the media that match the filter $filter', async ({ filters, matches }) => {
    const expected = idsWhere(matches);
    expect(expected.length).toBeGreaterThan(0);
    expect(await idsOf({ filters })).toEqual(expected);
  });

  test('accepts IDs as text with commas and as a list from an expression', async () => {
    const [first, second] = everything.map(({ id }) => asText(id));
    expect(await idsOf({ filters: { ids: ` ${first}, ${second} ` } })).toEqual([first, second]);
    const { items } = await search(
      { filters: { ids: '={{ $json.wanted }}' } },
      { items: [{ json: { wanted: [second, first] } }] },
    );
    expect(new Set(items.map(({ json }) => json['id']))).toEqual(new Set([first, second]));
  });

  test('sends sort rules in order, each with direction and case', async () => {
    const sort = 'creator,desc,ignorecase; title,ASC';
    const { items } = await search({ returnAll: true, simplify: false, sort });
    const keys = items
      .filter(({ json }) => json['creator'] !== null)
      .map(({ json }) => [asText(json['creator']).toLowerCase(), asText(json['title'])] as const);
    const sorted = [...keys].sort(([a, x], [b, y]) => (a === b ? (x < y ? -1 : 1) : a < b ? 1 : -1));
    expect(keys).toEqual(sorted);
  });

  test('returns the common fields with Simplify, and everything without it', async () => {
    const simple = (await search({ limit: 1 })).items[0]?.json;
    const raw = (await search({ limit: 1, simplify: false })).items[0]?.json;
    const names = Object.keys(simple ?? {});
    expect(names.slice(0, 4)).toEqual(['id', 'title', 'type', 'fileType']);
    expect(names.length).toBeLessThan(Object.keys(raw ?? {}).length);
    expect(simple).toMatchObject({ id: raw?.['id'], title: raw?.['title'], tags: raw?.['tags'] });
    expect(raw).toHaveProperty('sanitizedTitle');
  });

  test('pairs every output item with the input item that asked for it', async () => {
    const { items } = await search(
      { limit: 2, filters: { type: '={{ $json.type }}' } },
      { items: [{ json: { type: 'VIDEO' } }, { json: { type: 'IMAGE' } }] },
    );
    expect(items.map(({ json, pairedItem }) => [json['type'], pairedItem])).toEqual([
      ['VIDEO', { item: 0 }],
      ['VIDEO', { item: 0 }],
      ['IMAGE', { item: 1 }],
      ['IMAGE', { item: 1 }],
    ]);
  });
});

describe('Media > Get', () => {
  const get = (value: string, more: INodeParameters = {}): ReturnType<typeof runNode> =>
    search({ operation: 'get', mediaId: value, ...more });

  test('returns the item with this ID, paired with its input item', async () => {
    const [media] = everything.slice(7);
    const { items, error } = await get(asText(media?.['id']), { simplify: false });
    expect(error).toBeUndefined();
    expect(items).toEqual([expect.objectContaining({ json: media, pairedItem: { item: 0 } })]);
  });

  test('says that no item has the ID, and which ID is meant', async () => {
    const { items, error } = await get('upload-1');
    expect(items).toEqual([]);
    expect(error?.message).toBe('No media item has this ID: upload-1');
    expect(error?.description).toMatch(/media ID of an upload's output/);
  });
});

describe('failing items', () => {
  const items = [{ json: { limit: 1 } }, { json: { limit: -5 } }, { json: { limit: 1 } }];
  const parameters = { limit: '={{ $json.limit }}' };

  test('end the run without "continue", and the error names the item', async () => {
    const { error } = await search(parameters, { items });
    expect(error).toMatchObject({
      message: expect.stringMatching(/"Limit" is -5/),
      context: { itemIndex: 1 },
    });
  });

  test('become paired output items with message, hint and code with "continue"', async () => {
    const run = await search(parameters, { items, onError: 'continueRegularOutput' });
    expect(run.error).toBeUndefined();
    expect(run.items).toHaveLength(3);
    expect(run.items[1]).toMatchObject({
      json: {
        error: expect.stringMatching(/"Limit" is -5/),
        details: { hint: expect.any(String), code: 'Validation', field: 'limit' },
      },
      pairedItem: { item: 1 },
    });
  });

  test('go to the error output and leave the other items alone', async () => {
    const run = await search(parameters, { items, onError: 'continueErrorOutput' });
    expect(run.items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 2 }]);
    expect(run.errorItems).toHaveLength(1);
    expect(run.errorItems[0]?.json).toMatchObject({
      error: expect.stringMatching(/"Limit" is -5/),
      limit: -5,
    });
  });
});

describe('tokens', () => {
  test('are shared: many items and several executions at once log in once', async () => {
    const own = await startSimulator();
    afterTest(() => own.close());
    const items = Array.from({ length: 5 }, (_, id) => ({ json: { id } }));
    const credentials = { mediaServiceApi: credentialOf(own) };
    const runs = await Promise.all([1, 2, 3, 4].map(() => search({ limit: 1 }, { credentials, items })));
    expect(runs.map((run) => run.items.length)).toEqual([5, 5, 5, 5]);
    expect(own.seen().logins).toBe(1);
  });

  test('stay out of everything that n8n stores of a run, as do keys and signatures', async () => {
    const { secretKey, apiKey } = on.simulator.account;
    on.simulator.fault('search-html');
    for (const run of [await search({ limit: 1 }), await search({ limit: 1 }), await search({ limit: -1 })]) {
      const stored = storedText(run.run);
      expect(stored).not.toContain(secretKey);
      expect(stored).not.toContain(apiKey);
      expect(stored).not.toMatch(/bearer|eyJ/i);
      expect(run.storedCredentials['mediaServiceApi']?.['accessToken']).toBe('');
    }
  });
});

test('cancelling an execution ends a search that waits for its answer, even if the node continues after errors', async () => {
  const own = on.simulator.seen().requests['search'] ?? 0;
  on.simulator.fault('search-silent');
  const stop = new AbortController();
  const last = on.simulator.events().at(-1)?.seq ?? 0;
  const struck = on.simulator.waitFor(({ event, seq }) => event === 'fault' && seq > last);
  const running = search({}, { onError: 'continueRegularOutput', signal: stop.signal });
  await struck;
  stop.abort();
  const { run } = await running;
  expect(run.status).toBe('canceled');
  expect(on.simulator.seen().requests['search']).toBe(own + 1);
});

describe('many records', () => {
  const PAGE = 500;
  /** More items than one call can take as arguments. */
  const PAGES = 300;

  test('Return All returns 150,000 media for one item', async () => {
    const server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
      const page = Number(searchParams.get('page'));
      const media = Array.from({ length: page < PAGES ? PAGE : 0 }, (_, n) => ({ id: page * PAGE + n }));
      const answer = pathname.endsWith('/search') ? media : { accessToken: 'token' };
      request.resume();
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
    });
    const { url: baseUrl, close } = await listen(server);
    afterTest(close);
    const mediaServiceApi = { ...on.credentials.mediaServiceApi, baseUrl, uploadUrl: baseUrl };
    const { items, error } = await search({ returnAll: true }, { credentials: { mediaServiceApi } });
    expect([error, items.length]).toEqual([undefined, PAGE * PAGES]);
    expect(items.at(-1)?.json).toEqual({ id: PAGE * PAGES - 1 });
  });

  test('10,000 refused items go to the error output, each paired with its own, and n8n gets a turn after each 20', async () => {
    const refused = 10_000;
    const { requests } = on.simulator.seen();
    let rounds = 0;
    let next = setImmediate(function turn() {
      rounds += 1;
      next = setImmediate(turn);
    });
    try {
      const { items, errorItems } = await search(
        { limit: '={{ -1 - $json.n }}' },
        {
          items: Array.from({ length: refused }, (_, n) => ({ json: { n } })),
          onError: 'continueErrorOutput',
        },
      );
      expect(items).toEqual([]);
      expect(errorItems.map(({ json, pairedItem }) => [json['n'], pairedItem])).toEqual(
        Array.from({ length: refused }, (_, n) => [n, { item: n }]),
      );
      expect(errorItems.at(-1)?.json).toMatchObject({ error: expect.stringMatching(/limit/i) });
      expect(rounds).toBeGreaterThanOrEqual(refused);
      expect(on.simulator.seen().requests).toEqual(requests);
    } finally {
      clearImmediate(next);
    }
  });
});
