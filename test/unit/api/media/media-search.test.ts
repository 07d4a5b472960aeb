import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { JsonObject } from '../../../../api/json';
import type { MediaFilter } from '../../../../api/media/media-filter';
import { eachMedia, searchMedia } from '../../../../api/media/media-search';
import type { PageRequest } from '../../../../api/media/media-search';
import { fakeClock } from '../fake-clock';
import { startScriptedService } from '../scripted-service';
import type { ScriptedService } from '../scripted-service';

let scripted: ScriptedService;

beforeEach(async () => {
  scripted = await startScriptedService(fakeClock());
  scripted.operation = () => ({ body: { content: [], totalElements: 0 } });
});

afterEach(() => scripted.close());

async function sent(filter: MediaFilter, request?: PageRequest): Promise<{ query: string; body: unknown }> {
  await searchMedia(scripted.service, filter, request);
  const call = scripted.calls.at(-1);
  return { query: call?.query.toString() ?? '', body: JSON.parse(call?.body ?? '') };
}

test('a search sends nothing that was not asked for', async () => {
  expect(await sent({})).toEqual({ query: '', body: {} });
  expect(scripted.calls[0]).toMatchObject({ method: 'POST', path: '/api/media/search' });
});

test('a search sends every filter unchanged', async () => {
  const filter: MediaFilter = {
    ids: ['a', 'b'],
    searchTerm: 'Grüße & Küsse',
    type: 'VIDEO',
    tags: { project: 'x', nested: { a: [1, null] } },
    isLibrary: false,
    isActive: true,
  };
  expect((await sent(filter)).body).toEqual(filter);
});

test.each<[string, MediaFilter]>([
  ['ids null', { ids: null }],
  ['ids []', { ids: [] }],
  ['an empty search term', { searchTerm: '' }],
  ['tags {}', { tags: {} }],
])('%s counts as unset', async (_name, filter) => {
  expect((await sent(filter)).body).toEqual({});
});

test('a search sends page 0 and size 0, and repeats sort in its order', async () => {
  const sort = [
    { property: 'title', direction: 'DESC', ignoreCase: true },
    { property: 'createdAt', direction: 'ASC' },
    { property: 'id' },
    { property: 'name', ignoreCase: true },
  ] as const;
  const { query } = await sent({}, { page: 0, size: 0, sort });
  expect(new URLSearchParams(query).getAll('sort')).toEqual([
    'title,DESC,ignorecase',
    'createdAt,ASC',
    'id',
    'name,ASC,ignorecase',
  ]);
  expect(query).toContain('page=0&size=0&sort=');
});

describe('a search with a wrong field names the field and sends nothing', () => {
  const withNull = { ids: ['a', null] } as unknown as MediaFilter;
  test.each<[string, MediaFilter, PageRequest, string, string]>([
    ['page -1', {}, { page: -1 }, 'page', 'page is -1'],
    ['page 1.5', {}, { page: 1.5 }, 'page', 'page is 1.5'],
    ['size -1', {}, { size: -1 }, 'size', 'size is -1'],
    ['size 1001', {}, { size: 1001 }, 'size', 'size is 1001: it must be between 0 and 1000'],
    ['a null among the ids', withNull, {}, 'ids', 'ids holds an element that is null, at position 2'],
    ['an empty id', { ids: [' '] }, {}, 'ids', 'ids holds an element that is empty, at position 1'],
    [
      'another type',
      { type: 'GIF' as 'VIDEO' },
      {},
      'type',
      'type must be one of VIDEO, IMAGE, AUDIO, DOCUMENT',
    ],
    ['tags that are a list', { tags: [] as unknown as JsonObject }, {}, 'tags', 'tags must be an object'],
    [
      'a sort without property',
      {},
      { sort: [{ property: ' ' }] },
      'sort',
      'sort has a rule with no property',
    ],
    ['a sort with the separator', {}, { sort: [{ property: 'a,b' }] }, 'sort', 'contains the separator'],
    [
      'a sort with an odd direction',
      {},
      { sort: [{ property: 'a', direction: 'UP' as 'ASC' }] },
      'sort',
      'must be ASC or DESC',
    ],
  ])('%s', async (_name, filter, request, field, message) => {
    await expect(searchMedia(scripted.service, filter, request)).rejects.toMatchObject({
      code: 'Validation',
      facts: { field },
      message: expect.stringContaining(message),
    });
    expect(scripted.calls).toHaveLength(0);
  });
});

describe('all media', () => {
  beforeEach(() => {
    scripted.operation = ({ query }) => {
      const [page, size] = [Number(query.get('page')), Number(query.get('size'))];
      const ids = Array.from({ length: 25 }, (_, id) => ({ id })).slice(page * size, (page + 1) * size);
      return { body: { content: ids, totalElements: 25 } };
    };
  });

  async function idsOf(items: AsyncIterable<JsonObject>): Promise<unknown[]> {
    const ids: unknown[] = [];
    for await (const { id } of items) ids.push(id);
    return ids;
  }

  test('come once each, page after page, with filter and sort on every page', async () => {
    const items = eachMedia(scripted.service, { type: 'AUDIO' }, { size: 10, sort: [{ property: 'id' }] });
    expect(await idsOf(items)).toEqual(Array.from({ length: 25 }, (_, id) => id));
    expect(scripted.calls.map(({ query, body }) => `${query.toString()} ${body}`)).toEqual([
      'page=0&size=10&sort=id {"type":"AUDIO"}',
      'page=1&size=10&sort=id {"type":"AUDIO"}',
      'page=2&size=10&sort=id {"type":"AUDIO"}',
    ]);
  });

  test('are refused as incomplete if one leaves the search between two pages, and moves the others', async () => {
    scripted.operation = ({ query }) => {
      const page = Number(query.get('page'));
      const content = Array.from({ length: 10 }, (_, id) => ({ id: page * 10 + id }));
      return { body: { content, totalElements: page === 0 ? 25 : 24 } };
    };
    await expect(idsOf(eachMedia(scripted.service, {}, { size: 10 }))).rejects.toMatchObject({
      code: 'UnreadableAnswer',
      message: expect.stringContaining('incomplete, because the total fell from 25 to 24'),
    });
  });

  test('end at the limit, and no page beyond it is requested', async () => {
    expect(await idsOf(eachMedia(scripted.service, {}, { size: 10, limit: 12 }))).toHaveLength(12);
    expect(scripted.calls).toHaveLength(2);
  });

  test('use a smaller page if the limit is below the page size', async () => {
    expect(await idsOf(eachMedia(scripted.service, {}, { limit: 3 }))).toEqual([0, 1, 2]);
    expect(scripted.calls.map(({ query }) => query.get('size'))).toEqual(['3']);
  });

  test('refuse size 0, since it would never end', async () => {
    await expect(idsOf(eachMedia(scripted.service, {}, { size: 0 }))).rejects.toThrow(
      'size is 0: it must be between 1 and 1000',
    );
  });

  test('refuse limit 0', async () => {
    await expect(idsOf(eachMedia(scripted.service, {}, { limit: 0 }))).rejects.toMatchObject({
      facts: { field: 'limit' },
    });
  });
});
