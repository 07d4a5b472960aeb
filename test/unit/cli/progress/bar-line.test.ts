import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { textWidth } from '../../../../cli/output/text-width';
import { barLine, nameColumns } from '../../../../cli/progress/total-progress';

const BAR = {
  name: 'harbour-at-dawn.mp4',
  share: 0.41,
  facts: ['123.0 MB of 300.0 MB', '94.4 MB/s, 2 s left'],
};

describe('a bar', () => {
  test.each<[columns: number, line: string]>([
    [40, 'harbour-at-…  41%  94.4 MB/s, 2 s left'],
    [80, 'harbour-at-dawn.mp4 ████████░░░░░░░░░░░░  41%  94.4 MB/s, 2 s left'],
    [100, 'harbour-at-dawn.mp4 ██████████░░░░░░░░░░░░░░░  41%  123.0 MB of 300.0 MB  94.4 MB/s, 2 s left'],
    [
      200,
      'harbour-at-dawn.mp4 ████████████████░░░░░░░░░░░░░░░░░░░░░░░░  41%  123.0 MB of 300.0 MB  94.4 MB/s, 2 s left',
    ],
  ])('at %i columns', (columns, line) => {
    expect(barLine(BAR, { columns, nameWidth: nameColumns([BAR.name], columns) })).toBe(line);
  });

  test('is never wider than the terminal', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '港', '🎬', ' ') });
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(
        text,
        share,
        fc.array(text),
        fc.integer({ min: 10, max: 250 }),
        (name, part, facts, columns) => {
          const line = barLine(
            { name, share: part, facts },
            { columns, nameWidth: nameColumns([name], columns) },
          );
          expect(textWidth(line)).toBeLessThanOrEqual(columns);
        },
      ),
    );
  });
});
