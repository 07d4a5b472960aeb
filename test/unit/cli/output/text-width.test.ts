import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cutText, fitText, textWidth } from '../../../../cli/output/plain-text';

test.each<[label: string, text: string, columns: number, cut: string]>([
  ['stays unchanged if it fits', 'harbour', 7, 'harbour'],
  ['ends in an ellipsis if it does not fit', 'harbour', 6, 'harbo…'],
  ['counts wide characters twice', '港の映像.mp4', 7, '港の映…'],
  ['leaves a column free rather than half a character', '港の映像.mp4', 6, '港の…'],
  ['keeps an accent with its letter', 'e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
])('a text that is cut %s', (_label, text, columns, cut) => {
  expect(cutText(text, columns)).toBe(cut);
});

test('any text fits exactly into its columns', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'é', '港', '🎬', 'e\u0301', ' ') });
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 30 }), (line, columns) => {
      expect(textWidth(fitText(line, columns))).toBe(columns);
    }),
  );
});
