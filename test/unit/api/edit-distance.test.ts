import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { editDistance } from '../../../api/edit-distance';

test.each([
  ['', '', 0],
  ['', 'abc', 3],
  ['kitten', 'sitting', 3],
  ['tilte', 'title', 2],
  ['berlin', 'berlins', 1],
  ['source', 'sorce', 1],
])('from "%s" to "%s" it takes %d letters', (from, to, letters) => {
  expect(editDistance(from, to)).toBe(letters);
});

test('a text has no distance to itself, and the same distance in both directions', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      expect(editDistance(a, a)).toBe(0);
      expect(editDistance(a, b)).toBe(editDistance(b, a));
    }),
  );
});
