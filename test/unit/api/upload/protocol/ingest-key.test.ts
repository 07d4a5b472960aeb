import { MediaServiceError } from '../../../../../api/errors';
import { isRetryable } from '../../../../../api/retry';
import { findEarlier, findOrphans, idsOfKey } from '../../../../../api/upload/protocol/ingest-key';
import { failureOf } from '../failure-of';
import { scriptedService, UNSENT } from '../scripted-service';

const KEY = { ingestKey: 'key-1', known: ['known'] };
type Item = Record<string, unknown>;
const own = (id: string, more: Item = {}): Item => ({ id, tags: { ingestKey: 'key-1' }, ...more });
/** Answers each search with its page. The last page repeats. */
const search = (...pages: Item[][]): ReturnType<typeof scriptedService> =>
  scriptedService((_call, count) => ({ body: { content: pages[count] ?? pages.at(-1) } }));
const refused = (): ReturnType<typeof scriptedService> => scriptedService(() => ({ status: 403 }));

describe('the search for orphans', () => {
  it('uses only the ingest key, twice, ten seconds apart, and reports each orphan once', async () => {
    const { service, bodies, slept } = search(
      [own('m-1'), own('known'), { ...own('m-0'), uploadId: 'known' }],
      [
        own('m-1'),
        own('m-2', { tags: [{ key: 'ingestKey', value: 'key-1' }] }),
        own('m-3', { tags: [{ name: 'ingestKey', value: 'key-1' }] }),
        own('m-4', { tags: { ingestKey: ['key-0', 'key-1'] } }),
      ],
    );
    const { orphans, verifiable } = await findOrphans(service, KEY);
    expect(orphans.map(({ mediaId }) => mediaId)).toEqual(['m-1', 'm-2', 'm-3', 'm-4']);
    expect(verifiable).toBe(true);
    expect(bodies).toEqual([{ tags: { ingestKey: 'key-1' } }, { tags: { ingestKey: 'key-1' } }]);
    expect(slept).toEqual([10_000]);
  });

  it.each([
    ['media show no tags', [{ id: 'm-1' }]],
    ['the tag is not among those of a medium', [own('m-1', { tags: { genre: 'drama' } })]],
    ['the search ignores the tag', [own('other', { tags: { ingestKey: 'key-2' } })]],
    ['the values of the tag are others', [own('other', { tags: { ingestKey: ['key-2', 'key-10'] } })]],
    ['there may be more', Array.from({ length: 100 }, (_, at) => own(`m-${at}`))],
  ])('is not certain if %s, in one of its two searches', async (_what, page) => {
    for (const pages of [[page], [page, []], [[], page]])
      expect((await findOrphans(search(...pages).service, KEY)).verifiable).toBe(false);
  });

  it.each([
    [1, true],
    [2, false],
  ])('is certain with one medium of %i in all: %s', async (totalElements, verifiable) => {
    const body = { content: [own('known')], totalElements };
    const { service } = scriptedService(() => ({ status: 200, body }));
    expect(await findOrphans(service, KEY)).toEqual({ orphans: [], verifiable });
  });

  it('can be preceded by one for the ids of earlier media, which are no orphans', async () => {
    const other = own('other', { tags: { ingestKey: 'key-2' } });
    const { service, slept } = search([own('m-1'), own('m-2', { uploadId: 'u-2' }), other]);
    const known = await idsOfKey(service, 'key-1');
    expect(known).toEqual(['m-1', 'u-2', 'm-2']);
    expect(slept).toEqual([]);
    expect((await findOrphans(service, { ingestKey: 'key-1', known })).orphans).toEqual([]);
    expect(await idsOfKey(refused().service, 'key-1')).toEqual([]);
  });

  it('is not made if the tag is off', async () => {
    const { service, calls } = scriptedService(() => ({ status: 200 }), { ingestTag: false });
    expect(await findOrphans(service, KEY)).toEqual({ orphans: [], verifiable: false });
    expect((await findEarlier(service.once, 'key-1')).warning).toContain('the ingest tag is turned off');
    expect(calls).toEqual([]);
  });

  it('is not certain if search is refused, and rejects for a temporary failure', async () => {
    const { service } = refused();
    expect(await findOrphans(service, KEY)).toEqual({ orphans: [], verifiable: false });
    for (const status of [429, 500]) {
      const failing = scriptedService(() => ({ status }));
      expect(isRetryable(await failureOf(findOrphans(failing.service, KEY)))).toBe(true);
    }
    const cancelled = new MediaServiceError('Cancelled', 'enough');
    const stopping = { ...service.once, call: () => Promise.reject(cancelled) };
    expect(await failureOf(idsOfKey(stopping, 'key-1'))).toBe(cancelled);
  });
});

describe('the search for earlier media of an ingest key', () => {
  it('finds nothing with one request', async () => {
    const { service, bodies } = search([]);
    expect(await findEarlier(service.once, 'key-1')).toEqual({});
    expect(bodies).toHaveLength(1);
  });

  it('returns the first active media, without the query of its URL', async () => {
    const done = own('m-2', { title: 'Harbour', fileUrl: 'https://s.example/a.mp4?X-Amz-Signature=1' });
    const { service, bodies } = search([own('m-1'), done], [done]);
    expect(await findEarlier(service.once, 'key-1')).toEqual({
      done: { mediaId: 'm-2', title: 'Harbour', fileUrl: 'https://s.example/a.mp4' },
    });
    expect(bodies[1]).toEqual({ tags: { ingestKey: 'key-1' }, isActive: true });
  });

  it('names what is not active, and never takes the media of another key', async () => {
    const other = own('m-3', { tags: { ingestKey: 'key-10' } });
    const { service } = search([own('m-1'), own('m-2'), other], [other]);
    const { done, warning } = await findEarlier(service.once, 'key-1');
    expect(done).toBeUndefined();
    expect(warning).toMatch(/^An earlier run .* left media m-1, m-2, which are not finished/);
  });

  it('is not certain if the answer does not show whose media they are, or is a refusal', async () => {
    const { service, calls } = search([{ id: 'm-1' }]);
    const { warning } = await findEarlier(service.once, 'key-1');
    expect(warning).toMatch(/^It is not known whether an earlier run/);
    expect(calls).toHaveLength(1);
    expect((await findEarlier(refused().service.once, 'key-1')).warning).toMatch(/not known .*403/);
  });

  it('is repeated after a temporary failure, but not for long if the service was never reached', async () => {
    const body = { content: [] };
    const busy = scriptedService((_call, count) => ({ status: count < 2 ? 503 : 200, body }));
    expect(await findEarlier(busy.service.once, 'key-1')).toEqual({});
    const away = scriptedService(() => UNSENT);
    const failure = await failureOf(findEarlier(away.service.once, 'key-1'));
    expect([failure.code, failure.outcome]).toEqual(['Transport', 'unsent']);
    expect(away.slept.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(60_000);
  });
});
