import { expect, test } from '@jest/globals';
import { readJsonRow } from '../../../../../manifest/jsonl/read-json-lines';
import { isMistake } from '../../../../../manifest/row';
import { mistakeText } from '../../../../../nodes/MediaService/batch/item-rows';

test.each([
  ['of its own that begins with the field', { duration: 1.5 }, /^duration must be/],
  ['of another kind', { id: 'a\u0007' }, /^id: the id contains a control character\. Remove/],
  ['that contains the letters of the field', { id: 'x'.repeat(300) }, /^id: the id has more than 200 bytes$/],
])('a mistake with a text %s names its field once at the beginning', (_what, fields, text) => {
  const [mistake] = readJsonRow(1, { source: '/a.mp4', ...fields }, { rowContext: {} }).filter(isMistake);
  expect(mistake === undefined ? '' : mistakeText(mistake)).toMatch(text);
});

test('a mistake in no field is only its message', () => {
  expect(mistakeText({ line: 1, message: 'the row is empty' })).toBe('the row is empty');
});
