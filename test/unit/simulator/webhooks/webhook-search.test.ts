import { describe, expect, test } from '@jest/globals';
import { withSimulator } from '../bare-client';

const DAY_MS = 24 * 60 * 60_000;
const iso = (ms: number): string => encodeURIComponent(new Date(ms).toISOString());

interface Shown {
  id: string;
  sentAt: string;
  status: string;
  mediaId: string;
  subAccountId: string;
}
const read = (text: string): Shown[] => JSON.parse(text) as Shown[];

describe('webhook search', () => {
  test('filters by range, status, media and sub-account', () =>
    withSimulator({ seed: { media: 250, deliveries: 2500 } }, async (_, client) => {
      const all = async (query: string): Promise<Shown[]> => {
        const pages = [0, 1, 2].map((page) => client.webhooks(`?size=1000&page=${page}&${query}`));
        return (await Promise.all(pages)).flatMap(({ text }) => read(text));
      };
      const everything = await all('');
      expect(everything).toHaveLength(2500);
      const mediaId = everything[0]?.mediaId ?? '';
      const since = Date.now() - 10 * DAY_MS;
      const cases: [string, (delivery: Shown) => boolean][] = [
        [`from=${iso(since)}`, ({ sentAt }) => Date.parse(sentAt) >= since],
        [`to=${iso(since)}`, ({ sentAt }) => Date.parse(sentAt) <= since],
        ['status=FAILED', ({ status }) => status === 'FAILED'],
        [`mediaId=${mediaId}`, (one) => one.mediaId === mediaId],
        [
          'subAccountId=north-studio&status=FAILED',
          (one) => one.subAccountId === 'north-studio' && one.status === 'FAILED',
        ],
      ];
      for (const [query, matches] of cases) {
        const expected = everything.filter(matches);
        expect(expected.length).toBeGreaterThan(0);
        expect(await all(query)).toEqual(expected);
      }
      const both = await client.webhooks('?size=1&status=FAILED&status=SUCCESS');
      expect(both.headers.get('x-total-elements')).toBe('2500');
    }));
});

describe('the CSV of deliveries', () => {
  const HEADER =
    'id,eventType,mediaId,subAccountId,status,httpStatus,targetUrl,attempt,durationMs,message,sentAt';

  test('quotes texts with quotes, commas and line breaks', () =>
    withSimulator({ seed: { media: 1, deliveries: 0 } }, async (simulator, client) => {
      simulator.addDelivery({
        id: 'd1',
        mediaId: 'm',
        message: 'one, "two"\nthree ü',
        sentAt: '2026-11-01T00:00:00.000Z',
      });
      const { text, headers } = await client.webhooks('', 'text/csv');
      expect(headers.get('content-type')).toBe('text/csv;charset=UTF-8');
      expect(text).toBe(
        `${HEADER}\nd1,media.processed,m,demo-studio,FAILED,500,https://hooks.example.com/media,1,42,"one, ""two""\nthree ü",2026-11-01T00:00:00.000Z\n`,
      );
    }));
});
