import type { JsonObject } from '../../../../api/json';
import type { MediaFilter } from '../../../../api/media/media-filter';
import { eachMedia, searchMedia } from '../../../../api/media/media-search';
import type { PageRequest } from '../../../../api/media/media-search';
import { fakeClock } from '../fake-clock';
import { scriptedService } from '../scripted-service';
import type { ScriptedService } from '../scripted-service';

let scripted: ScriptedService;

beforeEach(() => {
  scripted = scriptedService(fakeClock());
  scripted.operation = () => ({ body: { content: [], totalElements: 0 } });
});

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
  const sort = ['title,DESC,IgnoreCase', 'createdAt, asc', 'id', 'name,ignorecase'];
  const { query } = await sent({}, { page: 0, size: 0, sort });
  expect(decodeURIComponent(query)).toBe(
    'page=0&size=0&sort=title,DESC,ignorecase&sort=createdAt,ASC&sort=id&sort=name,ASC,ignorecase',
  );
});

test('a sort has the separator of the account, which no property may contain', async () => {
  scripted = scriptedService(fakeClock(), { options: { sortSeparator: ' ' } });
  scripted.operation = () => ({ body: [] });
  expect((await sent({}, { sort: ['title,DESC'] })).query).toBe('sort=title+DESC');
  const failing = searchMedia(scripted.service, {}, { sort: ['created at'] });
  await expect(failing).rejects.toThrow('sort has a rule with a property that contains the separator " "');
});

const WITH_NULL = { ids: ['a', null] } as unknown as MediaFilter;
test.each<[string, MediaFilter, PageRequest, string, string]>([
  ['page -1', {}, { page: -1 }, 'page', 'page is -1'],
  ['page 1.5', {}, { page: 1.5 }, 'page', 'page is 1.5'],
  ['size -1', {}, { size: -1 }, 'size', 'size is -1'],
  ['size 1001', {}, { size: 1001 }, 'size', 'size is 1001: it must be between 0 and 1000'],
  ['a null among the ids', WITH_NULL, {}, 'ids', 'ids holds an element that is null, at position 2'],
  ['an empty id', { ids: [' '] }, {}, 'ids', 'ids holds an element that is empty, at position 1'],
  ['another type', { type: 'GIF' as 'VIDEO' }, {}, 'type', 'must be one of VIDEO, IMAGE, AUDIO, DOCUMENT'],
  ['tags that are a list', { tags: [] as unknown as JsonObject }, {}, 'tags', 'tags must be an object'],
  ['a sort without property', {}, { sort: [',DESC'] }, 'sort', 'sort has a rule with no property'],
  ['a sort with an odd word', {}, { sort: ['a,UP'] }, 'sort', 'must be property[,ASC|DESC[,ignorecase]]'],
  ['a sort with two directions', {}, { sort: ['a,ASC,DESC'] }, 'sort', 'must be property'],
])('a search with %s names the field and sends nothing', async (_name, filter, request, field, message) => {
  await expect(searchMedia(scripted.service, filter, request)).rejects.toMatchObject({
    code: 'Validation',
    facts: { field },
    message: expect.stringContaining(message),
  });
  expect(scripted.calls).toHaveLength(0);
});

describe('all media', () => {
  beforeEach(() => {
    scripted.operation = ({ query }) => {
      const [page, size] = [Number(query.get('page')), Number(query.get('size'))];
      const ids = Array.from({ length: 25 }, (_, id) => ({ id })).slice(page * size, (page + 1) * size);
      return { body: { content: ids, totalElements: 25 } };
    };
  });

  const idsOf = async (items: AsyncIterable<JsonObject>): Promise<unknown[]> =>
    (await Array.fromAsync(items)).map(({ id }) => id);

  test('come once each, page after page, with filter and sort on every page', async () => {
    const items = eachMedia(scripted.service, { type: 'AUDIO' }, { size: 10, sort: ['id'] });
    expect(await idsOf(items)).toEqual(Array.from({ length: 25 }, (_, id) => id));
    expect(scripted.calls.map(({ query, body }) => `${query.toString()} ${body}`)).toEqual([
      'page=0&size=10&sort=id {"type":"AUDIO"}',
      'page=1&size=10&sort=id {"type":"AUDIO"}',
      'page=2&size=10&sort=id {"type":"AUDIO"}',
    ]);
  });

  test.each([
    ['no page beyond it is requested', { size: 10, limit: 12 }, ['10', '10']],
    ['pages are no larger', { limit: 3 }, ['3']],
  ])('end at the limit, and %s', async (_what, request, sizes) => {
    expect(await idsOf(eachMedia(scripted.service, {}, request))).toHaveLength(request.limit);
    expect(scripted.calls.map(({ query }) => query.get('size'))).toEqual(sizes);
  });

  test.each(['size', 'limit'])('refuse %s 0, since they would never end', async (field) => {
    await expect(idsOf(eachMedia(scripted.service, {}, { [field]: 0 }))).rejects.toMatchObject({
      message: expect.stringContaining(`${field} is 0`),
      facts: { field },
    });
  });
});
