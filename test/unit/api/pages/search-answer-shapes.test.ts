import fc from 'fast-check';
import { parseExact } from '../../../../api/json';
import type { JsonObject, JsonValue } from '../../../../api/json';
import type { Page } from '../../../../api/pages/search-answer-shapes';
import { readPage } from '../../../../api/pages/search-answer-shapes';

function read(body: JsonValue, headers: Record<string, string> = {}): Page {
  return readPage('media search', { status: 200, headers, text: JSON.stringify(body) });
}

const keys = ['content', 'items', 'data', 'results', 'media'];

test.each(['media', 'mediaResponseDtoList'])('an array in _embedded can be read under %s', (name) => {
  const [items, other] = [[{ id: 'a' }, { id: 'b' }], 1];
  const body = { _embedded: { [name]: items }, other };
  expect(read(body)).toEqual({ items, raw: body });
});

test('items pass unchanged through every shape, unknown fields included', () => {
  const object = fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<JsonObject>;
  const pathToRecords = fc.oneof(
    fc.constant([]),
    fc.tuple(fc.constantFrom(...keys)),
    fc.tuple(fc.constantFrom(...keys), fc.constantFrom(...keys)),
  );
  fc.assert(
    fc.property(fc.array(object), pathToRecords, (elements, path) => {
      const list = parseExact(JSON.stringify(elements)) as JsonObject[];
      const body = path.reduceRight<JsonValue>((inner, key) => ({ [key]: inner }), list);
      expect(read(body).items).toEqual(list);
    }),
  );
});

test('an empty list that HAL left out is empty', () => {
  const page = { size: 20, totalElements: 0, totalPages: 0, number: 0 };
  expect(read({ _links: {}, page })).toMatchObject({ items: [], totalElements: 0 });
  expect(() => read({ _links: {}, page: { ...page, totalElements: 3 } })).toThrow('expected an array');
});

test.each<[string, JsonObject, Record<string, string>, object]>([
  [
    'beside the array',
    { content: [], totalElements: 7, totalPages: 4, number: 1, size: 2 },
    {},
    { totalElements: 7, totalPages: 4, page: 1, size: 2 },
  ],
  [
    'in a page object',
    { content: [], page: { totalElements: 7, totalPages: 4, number: 0, size: 2 } },
    {},
    { totalElements: 7, totalPages: 4, page: 0, size: 2 },
  ],
  ['in a deeper paging object', { data: { items: [], paging: { total: 7 } } }, {}, { totalElements: 7 }],
  ['beside the wrapper', { data: { items: [] }, totalCount: 7 }, {}, { totalElements: 7 }],
  ['as text', { items: [], total: '7' }, {}, { totalElements: 7 }],
  [
    'in headers',
    { items: [] },
    { 'x-total-elements': '7', 'x-total-pages': '4', 'x-page': '0', 'x-size': '2' },
    { totalElements: 7, totalPages: 4, page: 0, size: 2 },
  ],
  ['in both: the header wins', { items: [], total: 7 }, { 'x-total-elements': '9' }, { totalElements: 9 }],
  ['malformed', { items: [], total: -1, page: 'first', size: 1.5 }, { 'x-total-elements': 'many' }, {}],
])('the totals of an answer are read: %s', (_name, body, headers, totals) => {
  const { items: _items, raw: _raw, ...found } = read(body, headers);
  expect(found).toEqual(totals);
});

test.each<[string, JsonValue, string]>([
  ['an object without any array', { id: 'x', title: 'private' }, '{id: string, title: string}'],
  ['an array of texts', ['private'], 'array(1) of string'],
  ['an array two levels too deep', { data: { data: { data: [] } } }, '{data: {data: {data: array(0)}}}'],
  ['a text', 'private', 'string'],
  ['null', null, 'null'],
])('%s is unreadable, and the error shows only its outline', (_name, body, outline) => {
  expect(() => read(body)).toThrow(`the answer is ${outline}`);
  expect(() => read(body)).not.toThrow('private');
});

test('null in place of the array counts as a page without items', () => {
  expect(read({ content: null, totalElements: 0 }).items).toEqual([]);
});

test('204 counts as a page without items', () => {
  const headers = { 'x-total-elements': '0' };
  const page = readPage('media search', { status: 204, headers, text: '' });
  expect(page).toEqual({ items: [], totalElements: 0 });
});
