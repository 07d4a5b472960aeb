import { isJsonRecord, type JsonRecord } from '../../../../simulator/json';
import { type BareClient, type Reply, record, textAt, withSimulator } from '../bare-client';

const items = (reply: Reply): JsonRecord[] => {
  const { content } = record(reply);
  return Array.isArray(content) ? content.filter(isJsonRecord) : [];
};
const all = async (client: BareClient): Promise<JsonRecord[]> => items(await client.search({}, '?size=1000'));

describe('media search', () => {
  test('returns the first page with 20 items by default, and the total alone for size 0', () =>
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
      expect(record(await client.search({}, '?size=0'))).toMatchObject({ content: [], totalElements: 40 });
    }));

  test.each([
    ['an event', 'searched', [], undefined],
    ['another event if a fault strikes instead of it', 'search-failed', ['search-503:2'], undefined],
    ['another event if its token is refused', 'search-failed', [], 'never-issued'],
  ])('leaves %s with the tags that it asked for', (_, name, faults, token) =>
    withSimulator({ faults }, async (simulator, client) => {
      if (token !== undefined) client.use(token);
      await client.search({ tags: { project: 'alpha' } });
      await client.search({ type: 'AUDIO' });
      const searches = simulator.events().filter(({ event }) => /^search/.test(event));
      expect(searches.map(({ event, tags }) => [event, tags])).toEqual([
        [name, { project: 'alpha' }],
        [name, undefined],
      ]);
    }),
  );

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
});

const compare = (a: string, b: string): number => Number(a > b) - Number(a < b);
