import { describe, expect, test } from '@jest/globals';
import { startSimulator } from '../../simulator/start-simulator';
import { asText } from './support/as-text';
import { credentialOf } from './support/credential';
import { choose } from './support/editor-context';
import { useService } from './support/service-setting';

const on = useService({ seed: { media: 120, deliveries: 60 } });
const empty = useService({ seed: { media: 0, deliveries: 0 } });
const credential = (): ReturnType<typeof credentialOf> => on.credentials.mediaServiceApi;

describe('the list of properties to sort by', () => {
  test('holds those with one value per media, filtered by what is typed', async () => {
    const { results } = await choose('searchSortProperties', { credential: credential() });
    const names = results.map(({ value }) => value);
    expect(names).toEqual(expect.arrayContaining(['createdAt', 'title', 'type']));
    expect(names).not.toContain('tags');
    const typed = await choose('searchSortProperties', { credential: credential(), typed: 'SANIT' });
    expect(typed.results.map(({ value }) => value)).toEqual(['sanitizedTitle']);
  });

  test('says when there are no media, and how to continue', async () => {
    await expect(
      choose('searchSortProperties', { credential: empty.credentials.mediaServiceApi }),
    ).rejects.toMatchObject({
      description: 'Choose "By Name" and type the property.',
    });
  });

  test('sorts the search by the chosen property', async () => {
    const property = { __rl: true, mode: 'list', value: 'title' };
    const parameters = { resource: 'media', operation: 'search', sort: { rule: [{ property }] }, limit: 20 };
    const { items } = await on.run(parameters);
    const titles = items.map(({ json }) => asText(json['title']));
    expect(titles).toEqual([...titles].sort());
  });
});

describe('the list of media', () => {
  test('shows each by title and type', async () => {
    const { results } = await choose('searchMedia', { credential: credential() });
    expect(results).toHaveLength(50);
    expect(results.every(({ name }) => /^.+ \((video|image|audio|document)\)$/.test(name))).toBe(true);
  });

  test.each(['search-base-0', 'search-base-1', 'search-array', 'search-nested', 'search-no-totals'])(
    'returns every media once, page by page, when the service answers in the shape %s',
    async (shape) => {
      const other = await startSimulator({ seed: { media: 120, deliveries: 0 }, shapes: [shape] });
      try {
        const seen: unknown[] = [];
        let paginationToken: string | undefined;
        do {
          const page = await choose('searchMedia', {
            credential: credentialOf(other),
            ...(paginationToken === undefined ? {} : { paginationToken }),
          });
          seen.push(...page.results.map(({ value }) => value));
          paginationToken = page.paginationToken;
        } while (paginationToken !== undefined);
        expect(seen).toHaveLength(120);
        expect(new Set(seen).size).toBe(120);
      } finally {
        await other.close();
      }
    },
  );

  test('lets the service search for what is typed', async () => {
    const { results } = await choose('searchMedia', { credential: credential(), typed: ' rooftop ' });
    expect(results.length).toBeGreaterThan(0);
    expect(results.every(({ name }) => /rooftop/i.test(name))).toBe(true);
  });

  test('is empty without a next page if nothing is found', async () => {
    expect(await choose('searchMedia', { credential: credential(), typed: 'zzzz' })).toEqual({ results: [] });
  });
});

describe('the lists of tags and sub-accounts', () => {
  const row = (key: string) => ({
    credential: credential(),
    path: 'parameters.filters.tags.tag[0].value',
    parameters: {
      filters: { tags: { tag: [{ key: { __rl: true, mode: 'list', value: key }, value: '' }] } },
    },
  });

  test('has the keys that media carry, in order, filtered by what is typed', async () => {
    const { results } = await choose('searchTagKeys', { credential: credential() });
    const names = results.map(({ value }) => asText(value));
    expect(names).toContain('project');
    expect(names).toEqual([...new Set(names)].sort((a, b) => a.localeCompare(b)));
    expect((await choose('searchTagKeys', { credential: credential(), typed: 'PROJ' })).results).toEqual([
      { name: 'project', value: 'project' },
    ]);
  });

  test('has the values that occur under the key of the same row', async () => {
    const { results } = await choose('searchTagValues', row('project'));
    const values = results.map(({ value }) => value);
    expect(values).toContain('beta');
    expect(values).not.toContain('north');
  });

  test('has the sub-accounts of recent deliveries', async () => {
    const { results } = await choose('searchSubAccounts', { credential: credential() });
    expect(results.map(({ value }) => value)).toContain('north-studio');
  });

  test.each([
    { method: 'searchTagKeys', message: /^No tag was found/, way: /"By Name"/ },
    { method: 'searchTagValues', message: /^No tag was found/, way: /"By Value"/ },
    { method: 'searchSubAccounts', message: /^No sub-account was found/, way: /"By ID"/ },
  ] as const)(
    'says for $method if nothing was found, and how to continue',
    async ({ method, message, way }) => {
      const asking = choose(method, { credential: empty.credentials.mediaServiceApi });
      await expect(asking).rejects.toMatchObject({
        message: expect.stringMatching(message),
        description: expect.stringMatching(way),
      });
    },
  );
});

describe('an error while a list is loaded', () => {
  test("uses the words of the credential's test for a wrong secret", async () => {
    const asking = choose('searchMedia', {
      credential: credentialOf(on.simulator, { secretKey: 'wrong-secret' }),
    });
    await expect(asking).rejects.toMatchObject({
      message: expect.stringMatching(/login.*401/is),
      description: expect.stringMatching(/Check the API key, the secret key and the external id/),
    });
  });

  test('names an empty field of the credential as the form does', async () => {
    const asking = choose('searchSubAccounts', { credential: credentialOf(on.simulator, { apiKey: '' }) });
    await expect(asking).rejects.toMatchObject({ message: expect.stringMatching(/^API Key is empty/) });
  });

  test('shows the status of a refused search', async () => {
    on.simulator.fault('search-403');
    await expect(choose('searchMedia', { credential: credential() })).rejects.toMatchObject({
      httpCode: '403',
    });
  });
});

test('a value filters the same whether chosen from a list, typed as an ID, or written as plain text', async () => {
  const getMany = { resource: 'webhookDelivery', operation: 'getMany', period: 'custom', from: '-60d' };
  const { items } = await on.run({ ...getMany, limit: 1 });
  const mediaId = asText(items[0]?.json['mediaId']);
  const chosen = (mode: string) => ({ __rl: true, mode, value: mediaId });
  for (const form of [chosen('list'), chosen('id'), mediaId]) {
    const found = await on.run({ ...getMany, filters: { mediaId: form } });
    expect(found.items.length).toBeGreaterThan(0);
    expect(found.items.every(({ json }) => json['mediaId'] === mediaId)).toBe(true);
  }
  const key = { __rl: true, mode: 'list', value: 'project' };
  const filters = { tags: { tag: [{ key, value: 'beta' }] } };
  const media = await on.run({ resource: 'media', operation: 'search', filters });
  expect(media.items.length).toBeGreaterThan(0);
});
