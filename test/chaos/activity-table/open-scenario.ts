import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkerConfig } from '../../../temporal/worker/worker-config';
import { openReportFixture } from '../../support/report-fixture';
import type { FixtureOptions, UploadFixture } from '../../support/upload-fixture';
import type { Cell, Evidence, RunContext, Scenario } from './cell';
import { CANARIES } from './invariant';

/** A scenario with its servers, and without workers. */
export interface OpenScenario {
  readonly fixture: UploadFixture;
  /** Settings of its workers. */
  readonly config: Partial<WorkerConfig>;
  /** Resolves when the run has started. */
  start(moment: Pick<Cell, 'moment' | 'resumed'>): Promise<RunContext>;
  close(): Promise<void>;
}

export async function openScenario(
  scenario: Scenario,
  options: Pick<FixtureOptions, 'temporal'> = {},
): Promise<OpenScenario> {
  const reports = await openReportFixture({ simulator: { account: CANARIES }, ...options });
  const { fixture, close } = reports;
  const spoolDir = join(fixture.folder, 'spool');
  await mkdir(spoolDir);
  return {
    fixture,
    config: { spoolDir, secrets: join(fixture.folder, 'secrets.json'), logLevel: 'info' },
    start: (moment) => scenario({ fixture, reports, ...moment }),
    close,
  };
}

/** Resolves when the run has ended. */
export async function endOf(run: RunContext): Promise<Evidence> {
  const result = await run.handle.result();
  return run.evidence(result);
}
