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
  test('pages through all deliveries, the oldest first, with the totals in headers', () =>
    withSimulator({}, async (_, client) => {
      const replies = await Promise.all([0, 1, 2].map((page) => client.webhooks(`?size=25&page=${page}`)));
      expect(replies.map(({ text }) => read(text).length)).toEqual([25, 25, 10]);
      const shown = (name: string): (string | null)[] => replies.map(({ headers }) => headers.get(name));
      expect(shown('x-total-elements')).toEqual(['60', '60', '60']);
      expect(shown('x-total-pages')).toEqual(['3', '3', '3']);
      expect(shown('x-page')).toEqual(['0', '1', '2']);
      expect(shown('x-size')).toEqual(['25', '25', '25']);
      const sent = replies.flatMap(({ text }) => read(text)).map(({ sentAt }) => sentAt);
      expect(sent).toEqual([...sent].sort());
    }));

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

  test.each([
    ['page -1', '?page=-1', 400],
    ['size 0', '?size=0', 400],
    ['size 1001', '?size=1001', 400],
    ['an unknown status', '?status=OPEN', 400],
    ['a date without zone', '?from=2026-11-01T00:00:00', 400],
    ['a plus that was not encoded', '?from=2026-11-01T00:00:00+01:00', 400],
    ['from after to', `?from=${iso(2)}&to=${iso(1)}`, 400],
    ['an unknown parameter', '?since=1', 400],
  ])('answers %s with 400', (_, query, status) =>
    withSimulator({}, async (_simulator, client) => {
      expect((await client.webhooks(query)).status).toBe(status);
    }),
  );

  test('answers 406 if neither CSV nor JSON is accepted', () =>
    withSimulator({}, async (_, client) => {
      expect((await client.webhooks('', '*/*')).status).toBe(406);
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
