import fc from 'fast-check';
import { outlineOf } from '../../../../api/answers/read-answer';

test.each<[unknown, string]>([
  [{ content: [{ id: 'a' }, {}], last: null }, '{content: array(2) of {id: string}, last: null}'],
  [{ id: 1, ok: true }, '{id: number, ok: boolean}'],
  [[], 'array(0)'],
  ['text', 'string'],
  [null, 'null'],
  [{ a: { b: { c: { d: { e: 1 } } } } }, '{a: {b: {c: {d: {…}}}}}'],
  [{ a: { b: { c: { d: {} } } } }, '{a: {b: {c: {d: {}}}}}'],
  [
    Object.fromEntries(Array.from({ length: 23 }, (_, n) => [`k${n}`, n])),
    expect.stringMatching(/k19: number, … 3 more}$/) as unknown as string,
  ],
])('the outline of %j', (value, outline) => {
  expect(outlineOf(value)).toEqual(outline);
});

test('an outline never shows a value, wherever it is', () => {
  const { tree } = fc.letrec((of) => ({
    tree: fc.oneof({ maxDepth: 5 }, fc.constant('CANARY'), of('list'), of('object')),
    list: fc.array(of('tree'), { maxLength: 3 }),
    object: fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), of('tree'), { maxKeys: 4 }),
  }));
  fc.assert(
    fc.property(tree, (value) => {
      expect(outlineOf(value)).not.toContain('CANARY');
    }),
  );
});

test('the outline of the widest answer is short', () => {
  const widest = (inner: unknown): unknown =>
    Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`key-${n}`.padEnd(50, 'x'), inner]));
  const outline = outlineOf(widest(widest('leaf')));
  expect(outline).toHaveLength(2_000);
  expect(outline.at(-1)).toBe('…');
});
