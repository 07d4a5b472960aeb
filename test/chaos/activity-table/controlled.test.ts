import { describe, it } from '@jest/globals';
import { KILL_MOMENTS } from '../../support/kill-point';
import { usePool } from '../../support/pool';
import { CONTROLS, runControlled } from './run-controlled';
import { cellsOf, ROWS, shareOfCells } from './table';

const AT_ONCE = 4;
const CELLS = shareOfCells(
  cellsOf(ROWS, KILL_MOMENTS).flatMap((cell) =>
    Object.entries(CONTROLS).map(([name, control]) => ({ ...cell, name, control })),
  ),
);

describe('an upload, a batch or a report', () => {
  const pool = usePool(
    CELLS.map(
      ({ scenario, control, ...point }) =>
        () =>
          runControlled(scenario, point, control),
    ),
    AT_ONCE,
  );

  it.each(CELLS.map(({ scenario: _scenario, control: _control, ...cell }, index) => ({ ...cell, index })))(
    'that is $name $moment $activity of $workflow loses, doubles, hides and leaks nothing',
    async ({ index }) => {
      await pool.ends[index];
    },
  );
});
