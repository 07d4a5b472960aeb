import { readCursor } from '../../../../nodes/MediaServiceTrigger/cursor';

const CURSOR = { upTo: 200, from: 100, seen: { a: 150, b: 150 }, skewMs: -3 };

test('a cursor is read as it was stored', () => {
  expect(readCursor(JSON.parse(JSON.stringify(CURSOR)))).toEqual(CURSOR);
});

test.each<{ what: string; stored: unknown }>([
  { what: 'nothing', stored: undefined },
  { what: 'a list', stored: [] },
  { what: 'a text', stored: 'cursor' },
  { what: 'a time that is text', stored: { ...CURSOR, upTo: '200' } },
  { what: 'a time that is not a number', stored: { ...CURSOR, from: null } },
  { what: 'a beginning after its end', stored: { ...CURSOR, from: 201 } },
  { what: 'no skew', stored: { ...CURSOR, skewMs: undefined } },
  { what: 'a seen id without a time', stored: { ...CURSOR, seen: { a: 'b' } } },
  { what: 'seen as a list', stored: { ...CURSOR, seen: ['a'] } },
])('$what is not accepted as a cursor', ({ stored }) => {
  expect(readCursor(stored)).toBeUndefined();
});
