import fc from 'fast-check';
import { countsText, percentText } from '../../../../cli/batch/batch-text';
import { NO_ROWS } from '../../../../temporal/batch/counts';

test('counts name what exists, and always the completed rows', () => {
  expect(countsText(NO_ROWS)).toBe('0 completed');
  expect(countsText({ ...NO_ROWS, completed: 3, cancelled: 1 })).toBe('3 completed, 1 cancelled');
});

test('100 % is only shown if all rows of the batch have ended', () => {
  const part = fc.nat(1_000_000);
  fc.assert(
    fc.property(part, part, part, part, (completed, failed, cancelled, waiting) => {
      const rows = completed + failed + cancelled + waiting;
      const counts = { ...NO_ROWS, rows, completed, failed, cancelled, waiting };
      const percent = parseInt(percentText(counts), 10);
      expect(percent).toBeGreaterThanOrEqual(0);
      expect(percent === 100).toBe(waiting === 0 && rows > 0);
    }),
  );
});
