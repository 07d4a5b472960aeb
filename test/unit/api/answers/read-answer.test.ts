import { describe, expect, test } from '@jest/globals';
import { parseJson } from '../../../../api/answers/read-answer';

const answer = (text: string) => ({ status: 200, headers: { 'content-type': 'application/json' }, text });

describe('parseJson', () => {
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
});
