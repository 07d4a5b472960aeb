import { expect, test } from '@jest/globals';
import { parseJson } from '../../../../api/answers/read-answer';

test('JSON keeps an integer that a number can hold, and reads the digits of any other as text', () => {
  const ids =
    '[7615917337495231231,-7615917337495231232,9007199254740993,9007199254740991,12345678901234567.5]';
  const headers = { 'content-type': 'application/json' };
  expect(parseJson('start', { status: 200, headers, text: `{"ids":${ids},"at":1.7e3}` })).toEqual({
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
