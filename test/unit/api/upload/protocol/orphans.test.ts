import { describe, expect, it } from '@jest/globals';
import { MediaServiceError } from '../../../../../api/errors';
import { isRetryable } from '../../../../../api/retry';
import { findOrphans, idsOfKey } from '../../../../../api/upload/protocol/ingest-key';
import { failureOf } from '../failure-of';
import { scriptedService } from '../scripted-service';

const KEY = { ingestKey: 'key-1', known: ['known'] };
const item = (id: string, tags: unknown): Record<string, unknown> => ({
  id,
  ...(tags === undefined ? {} : { tags }),
});
const search = (...pages: Record<string, unknown>[][]): ReturnType<typeof scriptedService> =>
  scriptedService((_call, count) => ({
    status: 200,
    body: { content: pages[Math.min(count, pages.length - 1)] },
  }));

describe('the search for orphans', () => {
  it('uses only the ingest key, twice, ten seconds apart, and reports each orphan once', async () => {
    const mine = item('m-1', { ingestKey: 'key-1' });
    const { service, bodies, slept } = search(
      [mine, item('known', { ingestKey: 'key-1' })],
      [mine, item('m-2', [{ key: 'ingestKey', value: 'key-1' }]), item('m-3', { ingestKey: ['key-1'] })],
    );
    const { orphans, verifiable } = await findOrphans(service, KEY);
    expect(orphans.map(({ mediaId }) => mediaId)).toEqual(['m-1', 'm-2', 'm-3']);
    expect(verifiable).toBe(true);
    expect(bodies).toEqual([{ tags: { ingestKey: 'key-1' } }, { tags: { ingestKey: 'key-1' } }]);
    expect(slept).toEqual([10_000]);
  });

  it.each([
    ['the tag is not among those of a medium', [item('m-1', { genre: 'drama' })]],
    ['the search ignores the tag', [item('other', { ingestKey: 'key-2' })]],
    ['the values of the tag are others', [item('other', { ingestKey: ['key-2', 'key-10'] })]],
    ['there may be more', Array.from({ length: 100 }, (_, at) => item(`m-${at}`, { ingestKey: 'key-1' }))],
  ])('is not certain if %s, in one of its two searches', async (_what, page) => {
    for (const pages of [[page], [page, []], [[], page]])
      expect((await findOrphans(search(...pages).service, KEY)).verifiable).toBe(false);
  });

  it.each([
    [1, true],
    [2, false],
  ])('is certain with one medium of %i in all: %s', async (totalElements, verifiable) => {
    const content = [item('known', { ingestKey: 'key-1' })];
    const { service } = scriptedService(() => ({ status: 200, body: { content, totalElements } }));
    expect(await findOrphans(service, KEY)).toEqual({ orphans: [], verifiable });
  });

  it('leaves out uploads that are known', async () => {
    const { service } = search([{ ...item('m-1', { ingestKey: 'key-1' }), uploadId: 'known' }]);
    expect(await findOrphans(service, KEY)).toEqual({ orphans: [], verifiable: true });
  });

  it('is not certain if media show no tags', async () => {
    const { service } = search([item('m-1', undefined)]);
    expect(await findOrphans(service, KEY)).toEqual({ orphans: [], verifiable: false });
  });

  it('can be preceded by one for the ids of earlier media, which are no orphans', async () => {
    const { service, slept } = search([
      item('m-1', { ingestKey: 'key-1' }),
      { ...item('m-2', { ingestKey: 'key-1' }), uploadId: 'u-2' },
      item('other', { ingestKey: 'key-2' }),
    ]);
    const known = await idsOfKey(service, 'key-1');
    expect(known).toEqual(['m-1', 'u-2', 'm-2']);
    expect(slept).toEqual([]);
    expect((await findOrphans(service, { ingestKey: 'key-1', known })).orphans).toEqual([]);
    const failing = scriptedService(() => ({ status: 403 }));
    expect(await idsOfKey(failing.service, 'key-1')).toEqual([]);
  });

  it('is not made if the tag is off', async () => {
    const { service, calls } = scriptedService(() => ({ status: 200 }), { ingestTag: false });
    expect(await findOrphans(service, KEY)).toEqual({ orphans: [], verifiable: false });
    expect(calls).toEqual([]);
  });

  it('is not certain if search is refused, and rejects for a temporary failure', async () => {
    const refused = scriptedService(() => ({ status: 403 }));
    expect(await findOrphans(refused.service, KEY)).toEqual({ orphans: [], verifiable: false });
    for (const status of [429, 500]) {
      const failing = scriptedService(() => ({ status }));
      expect(isRetryable(await failureOf(findOrphans(failing.service, KEY)))).toBe(true);
    }
    const cancelled = new MediaServiceError('Cancelled', 'enough');
    const stopping = { ...refused.service.once, call: () => Promise.reject(cancelled) };
    expect(await failureOf(idsOfKey(stopping, 'key-1'))).toBe(cancelled);
  });
});
