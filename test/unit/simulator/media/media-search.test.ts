import { describe, expect, test } from '@jest/globals';
import { isJsonRecord, type Json, type JsonRecord } from '../../../../simulator/json';
import { type BareClient, type Reply, record, textAt, withSimulator } from '../bare-client';

const items = (reply: Reply): JsonRecord[] => {
  const { content } = record(reply);
  return Array.isArray(content) ? content.filter(isJsonRecord) : [];
};
const all = async (client: BareClient): Promise<JsonRecord[]> => items(await client.search({}, '?size=1000'));

describe('media search', () => {
  test('returns the first page with 20 items by default', () =>
    withSimulator({}, async (_, client) => {
      const page = record(await client.search());
      expect(page).toMatchObject({
        totalElements: 40,
        totalPages: 2,
        number: 0,
        size: 20,
        first: true,
        last: false,
      });
      expect(page['content']).toHaveLength(20);
    }));

  test('leaves an event with the tags that it asked for', () =>
    withSimulator({}, async (simulator, client) => {
      await client.search({ tags: { project: 'alpha' } });
      await client.search({ type: 'AUDIO' });
      const searches = simulator.events().filter(({ event }) => event === 'searched');
      expect(searches.map(({ tags }) => tags)).toEqual([{ project: 'alpha' }, undefined]);
    }));

  test.each([
    ['a fault strikes instead of it', ['search-503:2']],
    ['its token is refused', []],
  ])('leaves another event if %s', (_, faults) =>
    withSimulator({ faults }, async (simulator, client) => {
      if (faults.length === 0) client.use('never-issued');
      await client.search({ tags: { project: 'alpha' } });
      await client.search({ type: 'AUDIO' });
      const searches = simulator.events().filter(({ event }) => /^search/.test(event));
      expect(searches.map(({ event, tags }) => [event, tags])).toEqual([
        ['search-failed', { project: 'alpha' }],
        ['search-failed', undefined],
      ]);
    }),
  );

  test('has pages without gaps or repetitions', () =>
    withSimulator({}, async (_, client) => {
      const pages = await Promise.all([0, 1, 2].map((page) => client.search({}, `?size=17&page=${page}`)));
      expect(pages.map((page) => items(page).length)).toEqual([17, 17, 6]);
      expect(pages.flatMap(items)).toEqual(await all(client));
      expect(items(await client.search({}, '?size=17&page=9'))).toEqual([]);
    }));

  test.each<[string, JsonRecord, (item: JsonRecord) => boolean]>([
    ['type', { type: 'AUDIO' }, ({ type }) => type === 'AUDIO'],
    ['isLibrary', { isLibrary: true }, ({ isLibrary }) => isLibrary === true],
    ['isActive', { isActive: false }, ({ isActive }) => isActive === false],
    [
      'tags',
      { tags: { project: 'alpha', region: 'north' } },
      ({ tags }) => isJsonRecord(tags) && tags['project'] === 'alpha' && tags['region'] === 'north',
    ],
    ['a word of the title', { searchTerm: 'ROOFTOP' }, (item) => textAt(item, 'title').includes('Rooftop')],
    [
      'words in any order without accents',
      { searchTerm: 'detail facade' },
      (item) => textAt(item, 'title').includes('Façade'),
    ],
    ['ids null', { ids: null }, () => true],
    ['no ids', { ids: [] }, () => true],
    ['a term that no media has', { searchTerm: 'zzz' }, () => false],
  ])('filters by %s', (_, filter, matches) =>
    withSimulator({ seed: { media: 250, deliveries: 0 } }, async (_simulator, client) => {
      const expected = (await all(client)).filter(matches).map(({ id }) => id);
      const found = items(await client.search(filter, '?size=1000')).map(({ id }) => id);
      expect(found).toEqual(expected);
    }),
  );

  test('filters by IDs', () =>
    withSimulator({}, async (_, client) => {
      const ids = (await all(client)).slice(3, 5).map(({ id }) => id ?? null);
      expect(items(await client.search({ ids })).map(({ id }) => id)).toEqual(ids);
    }));

  test('sorts by several properties, each with its own direction and case', () =>
    withSimulator({}, async (_, client) => {
      const sorted = items(
        await client.search({}, '?size=1000&sort=type,DESC&sort=creator,ignorecase&sort=title'),
      );
      const keys = sorted.map(({ type, creator, title }) => [type, creator, title].map(String));
      const order = ([a = '', b = '', c = '']: string[], [x = '', y = '', z = '']: string[]): number =>
        -compare(a, x) ||
        Number(b === 'null') - Number(y === 'null') ||
        compare(b.toLowerCase(), y.toLowerCase()) ||
        compare(c, z);
      expect(keys).toEqual([...keys].sort(order));
      expect(new Set(keys.map(([type]) => type)).size).toBe(4);
    }));

  test.each<[string, string, Json]>([
    ['page -1', '?page=-1', {}],
    ['size -1', '?size=-1', {}],
    ['size 1001', '?size=1001', {}],
    ['a page that is not a number', '?page=one', {}],
    ['two pages', '?page=1&page=2', {}],
    ['an unknown parameter', '?limit=2', {}],
    ['an unknown property to sort by', '?sort=weight', {}],
    ['an unknown direction', '?sort=title,DOWN', {}],
    ['ids with a null element', '', { ids: ['a', null] }],
    ['ids that are not an array', '', { ids: 'a' }],
    ['an unknown type', '', { type: 'FILM' }],
    ['tags that are not an object', '', { tags: ['a'] }],
    ['isActive as text', '', { isActive: 'true' }],
    ['an unknown field', '', { title: 'a' }],
    ['an array as body', '', []],
  ])('answers 400 to %s', (_, query, filter) =>
    withSimulator({}, async (_simulator, client) => {
      expect((await client.search(filter, query)).status).toBe(400);
    }),
  );

  test('answers size 0 with no items and the total', () =>
    withSimulator({}, async (_, client) => {
      expect(record(await client.search({}, '?size=0'))).toMatchObject({ content: [], totalElements: 40 });
    }));
});

const compare = (a: string, b: string): number => Number(a > b) - Number(a < b);
