import { describe, expect, it } from '@jest/globals';
import { findEarlier } from '../../../../../api/upload/protocol/ingest-key';
import { failureOf } from '../failure-of';
import { scriptedService, UNSENT } from '../scripted-service';

type Item = Record<string, unknown>;
const tagged = (id: string, more: Item = {}): Item => ({ id, tags: { ingestKey: 'order-1' }, ...more });
/** Answers a search for all media with `all`, then one for the active ones with `active`. */
const searching = (all: readonly Item[], active: readonly Item[] = []): ReturnType<typeof scriptedService> =>
  scriptedService((_call, count) => ({ status: 200, body: { content: count === 0 ? all : active } }));

describe('the search for earlier media of an ingest key', () => {
  it('finds nothing with one request', async () => {
    const { service, bodies } = searching([]);
    expect(await findEarlier(service.once, 'order-1')).toEqual({});
    expect(bodies).toEqual([{ tags: { ingestKey: 'order-1' } }]);
  });

  it('returns the first active media, without the query of its URL', async () => {
    const done = tagged('m-2', { title: 'Harbour', fileUrl: 'https://s.example/a.mp4?X-Amz-Signature=1' });
    const { service, bodies } = searching([tagged('m-1'), done], [done]);
    expect(await findEarlier(service.once, 'order-1')).toEqual({
      done: { mediaId: 'm-2', title: 'Harbour', fileUrl: 'https://s.example/a.mp4' },
    });
    expect(bodies).toEqual([
      { tags: { ingestKey: 'order-1' } },
      { tags: { ingestKey: 'order-1' }, isActive: true },
    ]);
  });

  it.each([
    ['pairs', [{ key: 'ingestKey', value: 'order-1' }]],
    ['named pairs', [{ name: 'ingestKey', value: 'order-1' }]],
    ['lists of values', { ingestKey: ['order-0', 'order-1'] }],
  ])('knows tags as %s', async (_what, tags) => {
    const item = { id: 'm-1', tags };
    const { service } = searching([item], [item]);
    expect(await findEarlier(service.once, 'order-1')).toEqual({ done: { mediaId: 'm-1' } });
  });

  it('names what is not active, and never takes the media of another key', async () => {
    const other = { id: 'm-3', tags: { ingestKey: 'order-10' } };
    const { service } = searching([tagged('m-1'), tagged('m-2'), other], [other]);
    const { done, warning } = await findEarlier(service.once, 'order-1');
    expect(done).toBeUndefined();
    expect(warning).toMatch(
      /^An earlier run under this ingest key left media m-1, m-2, which are not finished/,
    );
  });

  it.each([
    ['shows no tags', [{ id: 'm-1' }]],
    ['ignores the tag', [{ id: 'm-1', tags: { ingestKey: 'order-2' } }]],
    ['may hold more', Array.from({ length: 100 }, (_, at) => ({ id: `m-${at}` }))],
  ])('is not certain if the answer %s', async (_what, all) => {
    const { service, calls } = searching(all);
    expect((await findEarlier(service.once, 'order-1')).warning).toMatch(
      /^It is not known whether an earlier run/,
    );
    expect(calls).toHaveLength(1);
  });

  it('is not certain if the tag is off or the search is refused', async () => {
    const off = scriptedService(() => ({ status: 200 }), { ingestTag: false });
    expect((await findEarlier(off.service.once, 'order-1')).warning).toContain(
      'the ingest tag is turned off',
    );
    expect(off.calls).toEqual([]);
    const refused = scriptedService(() => ({ status: 403 }));
    expect((await findEarlier(refused.service.once, 'order-1')).warning).toMatch(/not known .*403/);
  });

  it('is repeated after a temporary failure, but not for long if the service was never reached', async () => {
    const busy = scriptedService((_call, count) => ({
      status: count < 2 ? 503 : 200,
      body: { content: [] },
    }));
    expect(await findEarlier(busy.service.once, 'order-1')).toEqual({});
    const away = scriptedService(() => UNSENT);
    const failure = await failureOf(findEarlier(away.service.once, 'order-1'));
    expect([failure.code, failure.outcome]).toEqual(['Transport', 'unsent']);
    expect(away.slept.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(60_000);
  });
});
