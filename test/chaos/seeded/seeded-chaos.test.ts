import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { batchFolder, resultsOfBatch, startRows, writeRows } from '../../support/batch-fixture';
import { openOwnServer } from '../../support/own-temporal';
import type { OwnServer } from '../../support/own-temporal';
import { openOwnS3 } from '../../support/own-s3';
import type { OwnS3 } from '../../support/own-s3';
import { until } from '../../support/until';
import { openUploadFixture } from '../../support/upload-fixture';
import type { UploadFixture } from '../../support/upload-fixture';
import type { WorkerProcess } from '../../support/worker-process';
import { CANARIES, expectIntactAndReplayable } from '../activity-table/invariant';
import { chaosSchedule } from './chaos-schedule';
import type { ChaosEvent } from './chaos-schedule';

/**
 * `CHAOS_SEED` chooses another schedule. `CHAOS_ROUNDS` runs that many batches, each with the next seed; two take about
 * ten minutes.
 */
const FIRST_SEED = Number(process.env['CHAOS_SEED'] ?? 20_261_124);
const ROUNDS = Number(process.env['CHAOS_ROUNDS'] ?? 2);
const SEEDS = Array.from({ length: ROUNDS }, (_, round) => FIRST_SEED + round);
const SIZE = { rows: 2_000, workerKills: 6, temporalKills: 2, s3Kills: 2, faults: 12 };
const LIMIT_MS = 20 * 60_000;

/** Everything of one batch. */
interface Scene {
  readonly server: OwnServer;
  readonly s3: OwnS3;
  readonly fixture: UploadFixture;
  /** Logs of all workers. */
  logs: string;
}

async function withScene(run: (scene: Scene) => Promise<void>): Promise<void> {
  const server = await openOwnServer();
  const s3 = await openOwnS3();
  const simulator = { account: CANARIES, s3: s3.options };
  const fixture = await openUploadFixture({ temporal: server, simulator });
  try {
    await run({ server, s3, fixture, logs: '' });
  } finally {
    await fixture.close();
    await s3.close();
    await server.close();
  }
}

async function startWorker(scene: Scene): Promise<WorkerProcess> {
  const { fixture } = scene;
  const spoolDir = join(fixture.folder, 'spool');
  await mkdir(spoolDir, { recursive: true });
  return fixture.startWorkerProcess(
    { spoolDir, logLevel: 'info' },
    {
      onLog: (text) => {
        scene.logs += text;
      },
    },
  );
}

/** Two workers, of which the older one is killed and replaced. */
async function happen(event: ChaosEvent, scene: Scene, workers: WorkerProcess[]): Promise<void> {
  const { fixture, server, s3 } = scene;
  if ('fault' in event) {
    fixture.simulator.fault(`${event.fault}:${String(event.times)}`);
  } else if (event.kill === 'temporal') {
    await server.kill();
    await server.restart();
  } else if (event.kill === 's3') {
    await s3.kill();
    await s3.restart();
  } else {
    await workers.shift()?.kill('SIGKILL');
    workers.push(await startWorker(scene));
  }
}

async function runThroughChaos(seed: number, scene: Scene): Promise<void> {
  const { fixture } = scene;
  // Jest's own output names a test only when its file has ended, and CI's runs are silent.
  process.stderr.write(`seeded chaos: CHAOS_SEED=${String(seed)}\n`);
  const name = `seed-${String(seed)}`;
  const rows = await writeRows(fixture, name, SIZE.rows, 200);
  const workers = [await startWorker(scene), await startWorker(scene)];
  const upload = { heartbeatMs: 5_000, startLimitMs: 5_000, startPauseMs: 100, pollDelayMs: 100 };
  const batch = await startRows(fixture, name, rows, {
    options: { parallelUploads: 64, pageRows: 250, upload },
  });
  for (const event of chaosSchedule(seed, SIZE)) {
    await until(
      `as many files are completed as ${JSON.stringify(event)} waits for`,
      () => fixture.simulator.seen().completesAccepted,
      (completes) => completes >= event.afterCompletes,
    ).catch(async (cause: unknown) => {
      throw new Error(`The batch is stuck: ${inspect(await batch.progress(), { depth: 8 })}`, { cause });
    });
    await happen(event, scene, workers);
  }
  const { counts } = await batch.result();
  const lines = await resultsOfBatch(fixture, name);
  expect(lines.filter(({ status }) => status !== 'COMPLETED')).toEqual([]);
  expect(counts).toMatchObject({ rows: SIZE.rows, completed: SIZE.rows, failed: 0 });
  expect(lines.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
  const evidence = {
    workflowIds: [batch.workflowId],
    files: new Map(rows.map(({ id, source }) => [`Film ${id}`, source])),
    reported: lines,
    folders: [batchFolder(fixture, name)],
  };
  await expectIntactAndReplayable(fixture, evidence, {
    logs: scene.logs,
    events: fixture.simulator.events(),
  });
  // Only the schedule sets faults. Without one that was applied, the batch shows nothing about them.
  expect(Object.keys(fixture.simulator.seen().faults.struck)).not.toEqual([]);
}

describe('a batch while workers, Temporal and the S3 server are killed at random and the service fails', () => {
  it.each(SEEDS)(
    'loses, doubles, hides and leaks nothing, with seed %i',
    (seed) => withScene((scene) => runThroughChaos(seed, scene)),
    LIMIT_MS,
  );
});
