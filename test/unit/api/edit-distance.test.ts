import { editDistance } from '../../../api/edit-distance';

test.each([
  ['', '', 0],
  ['', 'abc', 3],
  ['kitten', 'sitting', 3],
  ['tilte', 'title', 2],
  ['source', 'sorce', 1],
])('from "%s" to "%s" it takes %d letters', (from, to, letters) => {
  expect(editDistance(from, to)).toBe(letters);
});
