import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkerConfig } from '../../../temporal/worker/worker-config';
import { openReportFixture } from '../../support/report-fixture';
import { openUploadFixture } from '../../support/upload-fixture';
import type { FixtureOptions, UploadFixture } from '../../support/upload-fixture';
import type { Cell, Evidence, Scenario, StartedRun, UploadScenario } from './cell';
import { CANARIES } from './invariant';

type Moment = Pick<Cell, 'moment' | 'resumed'>;

/** A scenario with its servers, and without workers. */
export interface OpenScenario {
  readonly fixture: UploadFixture;
  /** Settings of its workers. */
  readonly config: Partial<WorkerConfig>;
  /** Resolves when the run has started. A run that can't be looked at meanwhile counts as started at once. */
  begin(moment: Moment): Promise<{ readonly end: Promise<Evidence> }>;
  /** Begins, and resolves at the end. */
  run(moment: Moment): Promise<Evidence>;
  close(): Promise<void>;
}

export async function openScenario(
  scenario: Scenario,
  options: Pick<FixtureOptions, 'temporal'> = {},
): Promise<OpenScenario> {
  const { fixture, secrets, begin, close } = await (scenario.fixture === 'upload'
    ? openUpload(scenario, { simulator: { account: CANARIES }, ...options })
    : openReport(scenario, { simulator: { account: CANARIES }, ...options }));
  return {
    fixture,
    config: { ...(await configOf(fixture)), ...(secrets === undefined ? {} : { secrets }) },
    begin,
    run: async (moment) => (await begin(moment)).end,
    close,
  };
}

interface Opened extends Pick<OpenScenario, 'fixture' | 'begin' | 'close'> {
  readonly secrets?: string;
}

async function openUpload(scenario: UploadScenario, options: FixtureOptions): Promise<Opened> {
  const fixture = await openUploadFixture(options);
  return {
    fixture,
    async begin(moment) {
      const cell = { fixture, ...moment };
      return { end: 'run' in scenario ? scenario.run(cell) : endOf(await scenario.begin(cell)) };
    },
    close: () => fixture.close(),
  };
}

async function openReport(
  scenario: Extract<Scenario, { readonly fixture: 'report' }>,
  options: FixtureOptions,
): Promise<Opened> {
  const reports = await openReportFixture(options);
  const { fixture } = reports;
  return {
    fixture,
    secrets: join(fixture.folder, 'secrets.json'),
    begin: async (moment) => ({ end: endOf(await scenario.begin({ fixture, reports, ...moment })) }),
    close: () => reports.close(),
  };
}

async function endOf(run: StartedRun): Promise<Evidence> {
  const result = await run.handle.result();
  await run.close?.();
  return run.evidence(result);
}

export async function configOf({ folder }: UploadFixture): Promise<Partial<WorkerConfig>> {
  const spoolDir = join(folder, 'spool');
  await mkdir(spoolDir, { recursive: true });
  return { spoolDir, logLevel: 'info' };
}
