import { KILL_MOMENTS } from '../../support/kill-point';
import { testPool } from '../../support/pool';
import { CONTROLS, runControlled } from './run-controlled';
import { cellsOf, ROWS, shareOfCells } from './table';

const AT_ONCE = 4;
const CELLS = shareOfCells(
  cellsOf(ROWS, KILL_MOMENTS).flatMap((cell) =>
    Object.entries(CONTROLS).map(([name, control]) => ({ ...cell, name, control })),
  ),
);

describe('an upload, a batch or a report', () => {
  testPool('that is $name $moment $activity of $workflow loses, doubles, hides and leaks nothing', CELLS, {
    atOnce: AT_ONCE,
    run: ({ scenario, control, ...point }) => runControlled(scenario, point, control),
  });
});
