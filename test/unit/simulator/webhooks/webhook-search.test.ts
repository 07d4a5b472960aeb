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
      const everything: Shown[] = [];
      for (const page of [0, 1, 2])
        everything.push(...read((await client.webhooks(`?size=1000&page=${page}`)).text));
      expect(everything).toHaveLength(2500);
      const [first] = everything;
      const since = Date.now() - 10 * DAY_MS;
      const cases: [string, (delivery: Shown) => boolean][] = [
        [`from=${iso(since)}`, ({ sentAt }) => Date.parse(sentAt) >= since],
        [`to=${iso(since)}`, ({ sentAt }) => Date.parse(sentAt) <= since],
        ['status=FAILED', ({ status }) => status === 'FAILED'],
        [`mediaId=${first?.mediaId ?? ''}`, ({ mediaId }) => mediaId === first?.mediaId],
        [
          'subAccountId=north-studio&status=FAILED',
          (d) => d.subAccountId === 'north-studio' && d.status === 'FAILED',
        ],
      ];
      for (const [query, matches] of cases) {
        const found: Shown[] = [];
        for (const page of [0, 1, 2])
          found.push(...read((await client.webhooks(`?size=1000&page=${page}&${query}`)).text));
        expect(found).toEqual(everything.filter(matches));
        expect(found.length).toBeGreaterThan(0);
      }
      const failed = everything.filter(({ status }) => status === 'FAILED').length / everything.length;
      expect(failed).toBeGreaterThan(0.06);
      expect(failed).toBeLessThan(0.1);
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
