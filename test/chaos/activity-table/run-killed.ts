import type { History } from '@temporalio/common/lib/proto-utils';
import type { WorkerConfig } from '../../../temporal/worker/worker-config';
import type { KillPoint } from '../../support/kill-point';
import type { UploadFixture } from '../../support/upload-fixture';
import type { WorkerProcess } from '../../support/worker-process';
import type { Scenario } from './cell';
import { expectIntactAndReplayable } from './invariant';
import { endOf, openScenario } from './open-scenario';
import type { OpenScenario } from './open-scenario';
import { withinLimit } from './within-limit';

/**
 * Runs the scenario on a worker that dies at the point and on another one that continues. Checks what is left, replays
 * it, and returns the activities that ran.
 */
export async function runKilled(scenario: Scenario, point: KillPoint, between?: Between): Promise<string[]> {
  const opened = await openScenario(scenario);
  return throughDeath(opened, point, between).finally(() => opened.close());
}

/** Runs between the death of a worker and the start of the next one, and returns the settings of the next one. */
export type Between = (fixture: UploadFixture) => Partial<WorkerConfig>;

async function throughDeath(
  { fixture, config, start }: OpenScenario,
  killPoint: KillPoint,
  between?: Between,
): Promise<string[]> {
  const doomed = await fixture.startLoggedProcess(config, { killPoint });
  const resumed = replaced(doomed, () => fixture.startLoggedProcess({ ...config, ...between?.(fixture) }));
  // After an early end nobody awaits this promise, and the cell has already failed with that error.
  resumed.catch(() => undefined);
  const running = start({ moment: killPoint.moment, resumed }).then(endOf);
  const whole = Promise.all([running, resumed]);
  // If the worker does not die, the scenario proves nothing.
  const early = running.then(() => Promise.reject(new Error('The worker lived to see the end.')));
  await Promise.race([resumed, early]);
  const [evidence] = await withinLimit(fixture, whole);
  const stored = await expectIntactAndReplayable(fixture, evidence, fixture.logs());
  return stored.flatMap(({ runs }) => runs.flatMap(callsIn));
}

/** `workflow activity` for every activity that the run of a workflow called. */
function callsIn({ events }: History): string[] {
  const [started, ...later] = events ?? [];
  const workflow = started?.workflowExecutionStartedEventAttributes?.workflowType?.name;
  const names = later.map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name);
  return names.flatMap((activity) => (activity == null ? [] : [`${workflow ?? ''} ${activity}`]));
}

async function replaced(doomed: WorkerProcess, start: () => Promise<WorkerProcess>): Promise<void> {
  const signal = await doomed.gone;
  if (signal !== 'SIGKILL') throw new Error(`The worker ended by itself (${String(signal)}).`);
  await start();
}
