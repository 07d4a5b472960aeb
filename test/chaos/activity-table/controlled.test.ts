import { beforeAll, describe, expect, it } from '@jest/globals';
import { KILL_MOMENTS } from '../../support/kill-point';
import { pooled } from '../../support/pool';
import type { ControlledScenario, Scenario } from './cell';
import { CONTROLS, runControlled } from './run-controlled';
import { ROWS } from './table';

const AT_ONCE = 6;
/** For example, `uploadMedia after sendParts` runs only these cells. */
const ONLY = new RegExp(process.env['KILL_CELLS'] ?? '');

function isControlled(scenario: Scenario): scenario is ControlledScenario {
  return 'begin' in scenario;
}

const CELLS = ROWS.flatMap(({ scenario, ...row }) => (isControlled(scenario) ? [{ ...row, scenario }] : []))
  .flatMap((row) => KILL_MOMENTS.map((moment) => ({ ...row, moment })))
  .filter(({ workflow, activity, moment }) => ONLY.test(`${workflow} ${moment} ${activity}`))
  .flatMap((row) => CONTROLS.map((control) => ({ ...row, control })));

describe('the table of controlled activities', () => {
  it('leaves out only workflows that nobody pauses or cancels, and a page that is given up', () => {
    const without = ROWS.filter(({ scenario }) => !isControlled(scenario));
    expect(without.map(({ workflow, activity }) => `${workflow} ${activity}`)).toEqual([
      'identifySource identifySource',
      'uploadBatch giveUpPage',
      'failureReport planFailureReport',
      'failureReport readFailureReport',
      'failureReport deliverReport',
      'failureReport noteDelivery',
      'failureReport alertTarget',
    ]);
  });
});

describe('an upload or a batch', () => {
  let ends: readonly Promise<void>[] = [];
  beforeAll(() => {
    ends = pooled(
      CELLS.map(
        ({ scenario, control, ...point }) =>
          () =>
            runControlled(scenario, point, control),
      ),
      AT_ONCE,
    );
    // Each promise is awaited by its own test.
    for (const end of ends) end.catch(() => undefined);
  });

  it.each(
    CELLS.map(({ workflow, activity, moment, control }, index) => ({
      ...{ workflow, activity, moment, control, index },
    })),
  )(
    'that is $control $moment $activity of $workflow ends: nothing is lost, doubled, hidden or leaked',
    async ({ index }) => {
      await ends[index];
    },
  );
});
