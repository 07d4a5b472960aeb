import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { JsonObject } from '../../api/json';
import type { Simulator } from '../../simulator/simulator';
import { startSimulator } from '../../simulator/start-simulator';
import { asText } from './support/as-text';
import { credentialOf } from './support/credential';
import { runNode, storedText } from './support/run-workflow';
import type { NodeRun } from './support/run-workflow';

let simulator: Simulator;
let everything: JsonObject[] = [];
beforeAll(async () => {
  simulator = await startSimulator();
  everything = (await search({ returnAll: true, simplify: false })).items.map(
    ({ json }) => json as JsonObject,
  );
});
afterAll(() => simulator.close());

const search = (parameters: NodeRun['parameters'], more: Partial<NodeRun> = {}): ReturnType<typeof runNode> =>
  runNode({
    parameters: { resource: 'media', operation: 'search', ...parameters },
    credentials: { mediaServiceApi: credentialOf(simulator) },
    ...more,
  });

const idsOf = async (parameters: NodeRun['parameters']): Promise<unknown[]> => {
  const { items, error } = await search({ returnAll: true, ...parameters });
  expect(error).toBeUndefined();
  return items.map(({ json }) => json['id']);
};
const idsWhere = (matches: (media: JsonObject) => boolean): unknown[] =>
  everything.filter(matches).map(({ id }) => id);

describe('Media > Search', () => {
  test('returns every media once with Return All, over all pages', async () => {
    const ids = await idsOf({ options: { pageSize: 100 } });
    expect(new Set(ids).size).toBe(simulator.seen().media);
    expect(ids).toHaveLength(simulator.seen().media);
  });

  test('ends at Limit, and requests no more than it needs', async () => {
    const before = simulator.seen().requests['search'] ?? 0;
    const { items } = await search({ limit: 7 });
    expect(items).toHaveLength(7);
    expect(simulator.seen().requests['search']).toBe(before + 1);
  });

  test('returns only one page with the option Page', async () => {
    const { items } = await search({ simplify: false, options: { page: 2, pageSize: 50 } });
    expect(items.map(({ json }) => json)).toEqual(everything.slice(100, 150));
  });

  test.each([
    [true, undefined],
    [false, expect.stringMatching(/400/)],
  ])(
    'uses Sort Separator of the credential only while Advanced Settings are on: %s',
    async (advanced, message) => {
      const spaced = await startSimulator({ shapes: ['sort-space'] });
      try {
        const { error } = await search(
          { limit: 5, sort: { rule: [{ property: 'title', direction: 'DESC' }] } },
          { credentials: { mediaServiceApi: credentialOf(spaced, { advanced, sortSeparator: ' ' }) } },
        );
        expect(error?.message).toEqual(message);
      } finally {
        await spaced.close();
      }
    },
  );

  test.each<{ filter: string; filters: NodeRun['parameters']; matches: (media: JsonObject) => boolean }>([
    { filter: 'Type', filters: { type: 'AUDIO' }, matches: ({ type }) => type === 'AUDIO' },
    { filter: 'In Library', filters: { isLibrary: true }, matches: ({ isLibrary }) => isLibrary === true },
    { filter: 'not Active', filters: { isActive: false }, matches: ({ isActive }) => isActive === false },
    {
      filter: 'Tags as rows',
      filters: { tags: { tag: [{ key: 'project', value: 'beta' }] } },
      matches: ({ tags }) => (tags as JsonObject)['project'] === 'beta',
    },
    {
      filter: 'Tags (JSON) with a row',
      filters: { tags: { tag: [{ key: 'project', value: 'beta' }] }, tagsJson: '{"region":"north"}' },
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

  test('matches Search Term against the title', async () => {
    const { items } = await search({ searchTerm: 'rooftop', returnAll: true });
    expect(items.length).toBeGreaterThan(0);
    expect(items.every(({ json }) => /rooftop/i.test(asText(json['title'])))).toBe(true);
  });

  test('sends sort rules in order, each with direction and case', async () => {
    const rule = [
      { property: 'creator', direction: 'DESC', ignoreCase: true },
      { property: 'title', direction: 'ASC' },
    ];
    const { items } = await search({ returnAll: true, simplify: false, sort: { rule } });
    const keys = items
      .filter(({ json }) => json['creator'] !== null)
      .map(({ json }) => [asText(json['creator']).toLowerCase(), asText(json['title'])] as const);
    const sorted = [...keys].sort(([a, x], [b, y]) => (a === b ? (x < y ? -1 : 1) : a < b ? 1 : -1));
    expect(keys).toEqual(sorted);
  });

  test('returns the common fields with Simplify, and everything without it', async () => {
    const simple = (await search({ limit: 1 })).items[0]?.json;
    const raw = (await search({ limit: 1, simplify: false })).items[0]?.json;
    expect(Object.keys(simple ?? {}).length).toBeLessThan(Object.keys(raw ?? {}).length);
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
  const get = (value: string, more: NodeRun['parameters'] = {}): ReturnType<typeof runNode> =>
    search({ operation: 'get', mediaId: { __rl: true, mode: 'id', value }, ...more });

  test('returns the item with this ID, paired with its input item', async () => {
    const [media] = everything.slice(7);
    const { items, error } = await get(asText(media?.['id']), { simplify: false });
    expect(error).toBeUndefined();
    expect(items).toEqual([expect.objectContaining({ json: media, pairedItem: { item: 0 } })]);
  });

  test('is simplified as a search is', async () => {
    const found = (await search({ limit: 1 })).items[0]?.json;
    expect((await get(asText(found?.['id']))).items[0]?.json).toEqual(found);
  });

  test('says that no item has the ID, and which ID is meant', async () => {
    const { items, error } = await get('upload-1');
    expect(items).toEqual([]);
    expect(error?.message).toBe('No media item has this ID: upload-1');
    expect(error?.description).toMatch(/media ID of an upload's output/);
  });
});

describe('wrong input for Media > Search', () => {
  test.each<{ what: string; parameters: NodeRun['parameters']; message: RegExp; hint?: RegExp }>([
    {
      what: 'a page size of 1001',
      parameters: { options: { pageSize: 1001 } },
      message: /"Page Size" is 1001/,
    },
    { what: 'page -1', parameters: { options: { page: -1 } }, message: /"Page" is -1/ },
    {
      what: 'page size 0 for a list',
      parameters: { returnAll: true, options: { pageSize: 0 } },
      message: /"Page Size" is 0/,
    },
    { what: 'limit 0', parameters: { limit: 0 }, message: /"Limit" is 0/ },
    {
      what: 'ids with null',
      parameters: { filters: { ids: '={{ ["a", null] }}' } },
      message: /"IDs" holds an element that is empty or null/,
      hint: /Remove it/,
    },
    {
      what: 'tags that are not JSON',
      parameters: { filters: { tagsJson: '{project: beta}' } },
      message: /"Tags \(JSON\)" isn't valid JSON/,
      hint: /double quotes/,
    },
    {
      what: 'tags that are a list',
      parameters: { filters: { tagsJson: '[1]' } },
      message: /"Tags \(JSON\)" isn't a JSON object/,
    },
    {
      what: 'a type that does not exist',
      parameters: { filters: { type: '={{ "GIF" }}' } },
      message: /"Type" must be one of VIDEO/,
    },
    {
      what: 'a sort rule without property',
      parameters: { sort: { rule: [{ property: '' }] } },
      message: /a sort rule has no property/,
    },
    {
      what: 'a search term that is an object',
      parameters: { searchTerm: '={{ {} }}' },
      message: /"Search Term" must be text/,
      hint: /expression/,
    },
  ])('is refused before anything is sent: $what', async ({ parameters, message, hint }) => {
    const before = simulator.seen().requests['search'];
    const { error, items } = await search(parameters);
    expect(error?.message).toMatch(message);
    if (hint !== undefined) expect(error?.description).toMatch(hint);
    expect(items).toEqual([]);
    expect(simulator.seen().requests['search']).toBe(before);
  });
});

describe('failing items', () => {
  const items = [{ json: { size: 10 } }, { json: { size: 1001 } }, { json: { size: 20 } }];
  const parameters = { limit: 1, options: { pageSize: '={{ $json.size }}' } };

  test('end the run without "continue", and the error names the item', async () => {
    const { error } = await search(parameters, { items });
    expect(error).toMatchObject({
      message: expect.stringMatching(/"Page Size" is 1001/),
      context: { itemIndex: 1 },
    });
  });

  test('become paired output items with message, hint and code with "continue"', async () => {
    const run = await search(parameters, { items, onError: 'continueRegularOutput' });
    expect(run.error).toBeUndefined();
    expect(run.items).toHaveLength(3);
    expect(run.items[1]).toMatchObject({
      json: {
        error: expect.stringMatching(/"Page Size" is 1001/),
        details: { hint: expect.any(String), code: 'Validation', field: 'size' },
      },
      pairedItem: { item: 1 },
    });
  });

  test('go to the error output and leave the other items alone', async () => {
    const run = await search(parameters, { items, onError: 'continueErrorOutput' });
    expect(run.items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 2 }]);
    expect(run.errorItems).toHaveLength(1);
    expect(run.errorItems[0]?.json).toMatchObject({
      error: expect.stringMatching(/"Page Size" is 1001/),
      size: 1001,
    });
  });

  test('carry the status and words of a refusal by the service', async () => {
    simulator.fault('search-403');
    const { error } = await search({});
    expect(error).toMatchObject({ httpCode: '403', message: expect.stringContaining('403') });
  });
});

describe('tokens', () => {
  test('are shared: many items and several executions at once log in once', async () => {
    const own = await startSimulator();
    try {
      const items = Array.from({ length: 5 }, (_, id) => ({ json: { id } }));
      const runs = await Promise.all(
        [1, 2, 3, 4].map(() =>
          runNode({
            parameters: { resource: 'media', operation: 'search', limit: 1 },
            credentials: { mediaServiceApi: credentialOf(own) },
            items,
          }),
        ),
      );
      expect(runs.map((run) => run.items.length)).toEqual([5, 5, 5, 5]);
      expect(own.seen().logins).toBe(1);
    } finally {
      await own.close();
    }
  });

  test('are renewed within the run when they expire', async () => {
    await search({ limit: 1 });
    const before = simulator.seen().logins;
    simulator.expireTokens();
    const { items, error } = await search({ limit: 1 });
    expect([items.length, error]).toEqual([1, undefined]);
    expect(simulator.seen().logins).toBe(before + 1);
  });

  test('stay out of everything that n8n stores of a run, as do keys and signatures', async () => {
    const { secretKey, apiKey } = simulator.account;
    simulator.fault('search-html');
    for (const run of [
      await search({ limit: 1 }),
      await search({ limit: 1 }),
      await search({ options: { page: -1 } }),
    ]) {
      const stored = storedText(run.run);
      expect(stored).not.toContain(secretKey);
      expect(stored).not.toContain(apiKey);
      expect(stored).not.toMatch(/bearer|eyJ/i);
      expect(run.storedCredentials['mediaServiceApi']?.['accessToken']).toBe('');
    }
  });
});
