import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { outlineOf } from '../../../../api/answers/outline';

test.each<[unknown, string]>([
  [
    { content: [{ id: 'a', size: 1 }, {}], last: null, ok: true },
    '{content: array(2) of {id: string, size: number}, last: null, ok: boolean}',
  ],
  [[], 'array(0)'],
  ['text', 'string'],
  [null, 'null'],
  [{ a: { b: { c: { d: { e: 1 } } } } }, '{a: {b: {c: {d: {…}}}}}'],
  [
    Object.fromEntries(Array.from({ length: 23 }, (_, n) => [`k${n}`, n])),
    expect.stringMatching(/k19: number, … 3 more}$/) as unknown as string,
  ],
])('%j', (value, outline) => {
  expect(outlineOf(value)).toEqual(outline);
});

test('no value ever shows, and the outline of anything is short', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const outline = outlineOf({ field: [value, 'CANARY'], other: 'CANARY' });
      expect(outline).not.toContain('CANARY');
      expect(outline.length).toBeLessThan(40_000);
    }),
  );
});
