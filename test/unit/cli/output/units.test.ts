import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatCount } from '../../../../cli/output/plain-text';

test('a count shows the same number with separated thousands', () => {
  fc.assert(
    fc.property(fc.nat(), (count) => {
      expect(Number(formatCount(count).replaceAll(',', ''))).toBe(count);
      expect(formatCount(count)).toMatch(/^\d{1,3}(,\d{3})*$/);
    }),
  );
});
