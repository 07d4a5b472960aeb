import fc from 'fast-check';
import { addCounts, NO_ROWS, withEnded, withWaiting } from '../../../../temporal/batch/counts';

const lines = fc.record(
  {
    status: fc.constantFrom('COMPLETED', 'FAILED', 'CANCELLED'),
    bytes: fc.integer({ min: 1, max: 1_000 }),
    joined: fc.boolean(),
    round: fc.integer({ min: 1, max: 3 }),
  },
  { requiredKeys: ['status', 'round'] },
);

describe('the counts of a batch', () => {
  it('include each ended row once, only bytes of completed rows, and all others as waiting', () => {
    fc.assert(
      fc.property(fc.array(lines), fc.nat(5), fc.nat(5), (ended, running, waiting) => {
        const rows = ended.length + running + waiting;
        const counted = ended.reduce((counts, line) => withEnded(counts, line, 3), {
          ...NO_ROWS,
          rows,
          running,
        });
        const completed = ended.filter(({ status }) => status === 'COMPLETED');
        expect(withWaiting(counted)).toEqual({
          rows,
          running,
          waiting,
          completed: completed.length,
          failed: ended.filter(({ status }) => status === 'FAILED').length,
          cancelled: ended.filter(({ status }) => status === 'CANCELLED').length,
          earlier: completed.filter(({ joined, round }) => joined === true || round < 3).length,
          bytes: completed.reduce((sum, { bytes = 0 }) => sum + bytes, 0),
        });
      }),
    );
  });

  it('of parts add up to those of the whole', () => {
    const sumOf = (part: readonly Parameters<typeof withEnded>[1][]): typeof NO_ROWS =>
      part.reduce((counts, line) => withEnded({ ...counts, rows: counts.rows + 1 }, line, 2), {
        ...NO_ROWS,
        running: part.length,
        waiting: 2 * part.length,
      });
    fc.assert(
      fc.property(fc.array(lines), fc.array(lines), (one, other) =>
        expect(addCounts(sumOf(one), sumOf(other))).toEqual(sumOf([...one, ...other])),
      ),
    );
  });
});
