import { describe, expect, it } from '@jest/globals';
import { KILL_MOMENTS } from '../../support/kill-point';
import { usePool } from '../../support/pool';
import { CONTROLS, runControlled } from './run-controlled';
import { cellsOf, isControlled, ROWS, shareOfCells, UNCONTROLLED } from './table';

const AT_ONCE = 4;
const CELLS = shareOfCells(
  cellsOf(ROWS.filter(isControlled), KILL_MOMENTS).flatMap((cell) =>
    Object.entries(CONTROLS).map(([name, control]) => ({ ...cell, name, control })),
  ),
);

describe('the table of controlled activities', () => {
  it('has every activity, except those with a reason', () => {
    const without = ROWS.filter((row) => !isControlled(row));
    expect(without.map(({ workflow, activity }) => `${workflow} ${activity}`)).toEqual(
      Object.keys(UNCONTROLLED),
    );
  });
});

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
