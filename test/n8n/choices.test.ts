import { describe, expect, test } from '@jest/globals';
import { startSimulator } from '../../simulator/start-simulator';
import { asText } from './support/as-text';
import { credentialOf } from './support/credential';
import { choose } from './support/editor-context';
import { useService } from './support/service-setting';

const on = useService({ seed: { media: 120, deliveries: 60 } });
const credential = (): ReturnType<typeof credentialOf> => on.credentials.mediaServiceApi;

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
    const asking = choose('searchMedia', { credential: credentialOf(on.simulator, { apiKey: '' }) });
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
});
