import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkerConfig } from '../../../temporal/worker/worker-config';
import type { KillPoint } from '../../support/kill-point';
import { openReportFixture } from '../../support/report-fixture';
import { openUploadFixture } from '../../support/upload-fixture';
import type { UploadFixture } from '../../support/upload-fixture';
import type { WorkerProcess } from '../../support/worker-process';
import { callsOf } from './called-activities';
import type { Cell, Evidence, Scenario, UploadScenario } from './cell';
import { CANARIES, expectIntact } from './invariant';
import { withinLimit } from './within-limit';

/**
 * Runs the scenario on a worker that dies at the point and on another one that continues. Checks what is left, and
 * returns the activities that ran.
 */
export async function runKilled(scenario: Scenario, point: KillPoint, between?: Between): Promise<string[]> {
  const simulator = { account: CANARIES };
  if (scenario.fixture === 'upload') {
    const fixture = await openUploadFixture({ simulator });
    return throughDeath(fixture, point, {
      run: (resumed) => runToEnd(scenario, { fixture, ...point, resumed }),
      ...(between === undefined ? {} : { between }),
    }).finally(() => fixture.close());
  }
  const reports = await openReportFixture({ simulator });
  const { fixture } = reports;
  return throughDeath(fixture, point, {
    run: (resumed) => scenario.run({ fixture, ...point, resumed, reports }),
    change: { secrets: join(fixture.folder, 'secrets.json') },
  }).finally(() => reports.close());
}

export async function runToEnd(scenario: UploadScenario, cell: Cell): Promise<Evidence> {
  if ('run' in scenario) return scenario.run(cell);
  const context = await scenario.begin(cell);
  const result = await context.handle.result();
  await context.close?.();
  return context.evidence(result);
}

/** Runs between the death of a worker and the start of the next one, and returns the settings of the next one. */
export type Between = (fixture: UploadFixture) => Partial<WorkerConfig>;

interface Life {
  readonly between?: Between;
  readonly run: (resumed: Promise<void>) => Promise<Evidence>;
  /** Settings of both workers. */
  readonly change?: Partial<WorkerConfig>;
}

async function throughDeath(
  fixture: UploadFixture,
  killPoint: KillPoint,
  { run, change, between }: Life,
): Promise<string[]> {
  let logs = '';
  const onLog = (text: string): void => {
    logs += text;
  };
  const config = { ...(await configOf(fixture)), ...change };
  const doomed = await fixture.startWorkerProcess(config, { killPoint, onLog });
  const resumed = replaced(doomed, () =>
    fixture.startWorkerProcess({ ...config, ...between?.(fixture) }, { onLog }),
  );
  // After an early end nobody awaits this promise, and the cell has already failed with that error.
  resumed.catch(() => undefined);
  const running = run(resumed);
  const whole = Promise.all([running, resumed]);
  // If the worker does not die, the scenario proves nothing.
  const early = running.then(() => Promise.reject(new Error('The worker lived to see the end.')));
  await Promise.race([resumed, early]);
  const [evidence] = await withinLimit(fixture, whole);
  await expectIntact(fixture, evidence, { logs, events: fixture.simulator.events() });
  return callsOf(fixture, evidence.workflowIds);
}

async function replaced(doomed: WorkerProcess, start: () => Promise<WorkerProcess>): Promise<void> {
  const signal = await doomed.gone;
  if (signal !== 'SIGKILL') throw new Error(`The worker ended by itself (${String(signal)}).`);
  await start();
}

export async function configOf({ folder }: UploadFixture): Promise<Partial<WorkerConfig>> {
  const spoolDir = join(folder, 'spool');
  await mkdir(spoolDir, { recursive: true });
  return { spoolDir, logLevel: 'info' };
}
