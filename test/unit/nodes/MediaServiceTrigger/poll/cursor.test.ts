import { expect, test } from '@jest/globals';
import { cursorJson, readCursor } from '../../../../../nodes/MediaServiceTrigger/poll/cursor';

const CURSOR = { upTo: 200, from: 100, seen: [{ until: 150, ids: ['a', 'b'] }], skewMs: -3, spanMs: 60 };

test('a cursor is read as it was stored', () => {
  expect(readCursor(JSON.parse(JSON.stringify(cursorJson(CURSOR))))).toEqual(CURSOR);
});

test.each<{ what: string; stored: unknown }>([
  { what: 'nothing', stored: undefined },
  { what: 'a list', stored: [] },
  { what: 'a text', stored: 'cursor' },
  { what: 'a time that is text', stored: { ...CURSOR, upTo: '200' } },
  { what: 'a time that is not a number', stored: { ...CURSOR, from: null } },
  { what: 'a beginning after its end', stored: { ...CURSOR, from: 201 } },
  { what: 'no skew', stored: { ...CURSOR, skewMs: undefined } },
  { what: 'a span of 0', stored: { ...CURSOR, spanMs: 0 } },
  { what: 'seen ids that are numbers', stored: { ...CURSOR, seen: [{ until: 150, ids: [1] }] } },
  { what: 'a group without a time', stored: { ...CURSOR, seen: [{ ids: ['a'] }] } },
  { what: 'seen as an object', stored: { ...CURSOR, seen: {} } },
])('$what is not accepted as a cursor', ({ stored }) => {
  expect(readCursor(stored)).toBeUndefined();
});
