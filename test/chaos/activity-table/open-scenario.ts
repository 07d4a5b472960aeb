import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkerConfig } from '../../../temporal/worker/worker-config';
import { openReportFixture } from '../../support/report-fixture';
import { openUploadFixture } from '../../support/upload-fixture';
import type { FixtureOptions, UploadFixture } from '../../support/upload-fixture';
import type { Cell, Evidence, RunContext, Scenario } from './cell';
import { CANARIES } from './invariant';

type Moment = Pick<Cell, 'moment' | 'resumed'>;
type Options = Pick<FixtureOptions, 'temporal'>;

interface Opened {
  readonly fixture: UploadFixture;
  /** Settings of its workers. */
  readonly config: Partial<WorkerConfig>;
  close(): Promise<void>;
}

/** A scenario with its servers, and without workers. */
export interface OpenScenario extends Opened {
  /** Resolves when the run has started. */
  start(moment: Moment): Promise<RunContext>;
}

export async function openScenario(scenario: Scenario, options: Options = {}): Promise<OpenScenario> {
  if (scenario.fixture === 'upload') {
    const opened = await openUpload(options);
    return { ...opened, start: (moment) => scenario.begin({ ...opened, ...moment }) };
  }
  const reports = await openReportFixture({ simulator: { account: CANARIES }, ...options });
  const { fixture } = reports;
  return {
    fixture,
    config: { ...(await configOf(fixture)), secrets: join(fixture.folder, 'secrets.json') },
    start: (moment) => scenario.begin({ fixture, reports, ...moment }),
    close: () => reports.close(),
  };
}

async function openUpload(options: Options): Promise<Opened> {
  const fixture = await openUploadFixture({ simulator: { account: CANARIES }, ...options });
  return { fixture, config: await configOf(fixture), close: () => fixture.close() };
}

/** Resolves when the run has ended. */
export async function endOf(run: RunContext): Promise<Evidence> {
  const result = await run.handle.result();
  return run.evidence(result);
}

async function configOf({ folder }: UploadFixture): Promise<Partial<WorkerConfig>> {
  const spoolDir = join(folder, 'spool');
  await mkdir(spoolDir, { recursive: true });
  return { spoolDir, logLevel: 'info' };
}
