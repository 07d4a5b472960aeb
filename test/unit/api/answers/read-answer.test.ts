import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { jsonDepth, parseJson } from '../../../../api/answers/read-answer';

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const answer = (text: string) => ({ status: 200, headers: { 'content-type': 'application/json' }, text });

describe('parseJson', () => {
  test('reads JSON up to the maximum depth of an answer', () => {
    expect(parseJson('start', answer(nested(500)))).toEqual([expect.anything()]);
  });

  test.each([501, 400_000])('refuses JSON of %d levels, which would overflow its reader', (levels) => {
    expect(() => parseJson('start', answer(nested(levels)))).toThrow(
      expect.objectContaining({
        code: 'UnreadableAnswer',
        message: `start: the answer is JSON that is nested more than 500 levels deep (status 200, application/json, ${levels * 2} characters)`,
      }),
    );
  });

  test('keeps an integer that a number can hold, and reads the digits of any other as text', () => {
    const ids =
      '[7615917337495231231,-7615917337495231232,9007199254740993,9007199254740991,12345678901234567.5]';
    expect(parseJson('start', answer(`{"ids":${ids},"at":1.7e3}`))).toEqual({
      ids: [
        '7615917337495231231',
        '-7615917337495231232',
        '9007199254740993',
        9007199254740991,
        12345678901234568,
      ],
      at: 1700,
    });
  });

  test.each([501, 200_000])('refuses %d levels around an integer of 64 bits', (levels) => {
    const text = nested(levels).replace('[]', '[7615917337495231231]');
    expect(() => parseJson('start', answer(text))).toThrow('nested more than 500 levels deep');
  });
});

test('the depth of JSON counts its objects and arrays, and ignores the content of its texts', () => {
  const depthOf = (value: unknown): number =>
    typeof value === 'object' && value !== null
      ? 1 + Math.max(0, ...Object.values(value as Record<string, unknown>).map(depthOf))
      : 0;
  const texts = fc.constantFrom('[', '{"', '"]', '\\', '\\"', 'a');
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 6 },
      texts,
      fc.integer(),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(texts, tie('tree'), { maxKeys: 3 }),
    ),
  }));
  fc.assert(
    fc.property(tree, (value) => {
      expect(jsonDepth(JSON.stringify(value))).toBe(depthOf(value));
    }),
  );
});
