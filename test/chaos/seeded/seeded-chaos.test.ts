import { inspect } from 'node:util';
import { MAX_SESSIONS } from '../../../api/upload/engine/start-ambiguity';
import type { ResultLine } from '../../../temporal/batch/types';
import { batchFolder, resultsOfBatch, startRows, writeRows } from '../../support/batch-fixture';
import { openOwnServer } from '../../support/own-temporal';
import type { OwnServer } from '../../support/own-temporal';
import { openOwnS3 } from '../../support/own-s3';
import type { OwnS3 } from '../../support/own-s3';
import { seenEvents } from '../../support/seen-events';
import { storedTree } from '../../support/stored-texts';
import { openUploadFixture } from '../../support/upload-fixture';
import type { UploadFixture } from '../../support/upload-fixture';
import type { WorkerProcess } from '../../support/worker-process';
import { CANARIES, expectIntactAndReplayable } from '../activity-table/invariant';
import { chaosSchedule } from './chaos-schedule';
import type { ChaosEvent } from './chaos-schedule';

/**
 * A seed repeats the schedule and no more: which rows and requests a kill or a fault meets depends on how fast the
 * machine is at that moment. `CHAOS_BATCHES` follow each other, each with the next seed.
 */
const FIRST_SEED = Number(process.env['CHAOS_SEED'] ?? 20_261_127);
const BATCHES = Number(process.env['CHAOS_BATCHES'] ?? 1);
const SEEDS = Array.from({ length: BATCHES }, (_, index) => FIRST_SEED + index);
const SIZE = { rows: 2_000, workerKills: 6, temporalKills: 2, s3Kills: 2, faults: 12 };
const LIMIT_MS = 20 * 60_000;
/** An event that is not reached within this time means that the batch is stuck. */
const STUCK_MS = 4 * 60_000;

/** Everything of one batch. */
interface Scene {
  readonly server: OwnServer;
  readonly s3: OwnS3;
  readonly fixture: UploadFixture;
}

async function withScene(run: (scene: Scene) => Promise<void>): Promise<void> {
  const server = await openOwnServer();
  const s3 = await openOwnS3();
  const simulator = { account: CANARIES, s3: s3.options };
  const fixture = await openUploadFixture({ temporal: server, simulator });
  try {
    await run({ server, s3, fixture });
  } finally {
    await fixture.close();
    await s3.close();
    await server.close();
  }
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
    workers.push(await fixture.startLoggedProcess());
  }
}

async function runThroughChaos(seed: number, scene: Scene): Promise<void> {
  const { fixture } = scene;
  const name = `seed-${String(seed)}`;
  const rows = await writeRows(fixture, name, SIZE.rows, 200);
  const workers = [await fixture.startLoggedProcess(), await fixture.startLoggedProcess()];
  const upload = { heartbeatMs: 5_000, startLimitMs: 5_000, startPauseMs: 100, pollDelayMs: 100 };
  const batch = await startRows(fixture, name, rows, {
    options: { parallelUploads: 64, pageRows: 250, upload },
  });
  for (const event of chaosSchedule(seed, SIZE)) {
    const signal = AbortSignal.timeout(STUCK_MS);
    const completes = { event: 'complete-accepted', count: event.afterCompletes, signal } as const;
    await seenEvents(fixture.simulator, completes).catch(async (cause: unknown) => {
      const progress = inspect(await batch.progress(), { depth: 8 });
      throw new Error(`The batch is stuck before ${JSON.stringify(event)}: ${progress}`, { cause });
    });
    await happen(event, scene, workers);
  }
  const { counts } = await batch.result();
  const first = await resultsOfBatch(fixture, name);
  const unlucky = first.filter(({ status }) => status !== 'COMPLETED');
  expect(unlucky.filter((line) => !hasNoStartLeft(line, fixture))).toEqual([]);
  const { length: failed } = unlucky;
  expect(counts).toMatchObject({ rows: SIZE.rows, completed: SIZE.rows - failed, failed });
  const earlier = failed > 0 ? await storedTree(fixture.connection, batch.workflowId) : [];
  if (failed > 0) await (await startRows(fixture, name, rows, { retryFailed: true })).result();
  const lines = await resultsOfBatch(fixture, name);
  expect(lines.map(({ id, status }) => [id, status])).toEqual(rows.map(({ id }) => [id, 'COMPLETED']));
  const evidence = {
    workflowIds: [batch.workflowId],
    earlier,
    files: new Map(rows.map(({ id, source }) => [`Film ${id}`, source])),
    reported: [unlucky, lines],
    folders: [batchFolder(fixture, name)],
  };
  await expectIntactAndReplayable(fixture, evidence, fixture.logs());
  // Only the schedule sets faults. Without one that was applied, the batch shows nothing about them.
  expect(Object.keys(fixture.simulator.seen().faults.struck)).not.toEqual([]);
}

/**
 * A row ends for good when the answers of three starts are lost. A schedule can lose them by three kills within seconds,
 * because the pauses between the starts are short here: 100 ms and 3 s instead of 30 s and 15 minutes.
 */
function hasNoStartLeft({ id, error }: ResultLine, { simulator }: UploadFixture): boolean {
  const isLast = error?.message.includes('start is not sent again') === true;
  const made = simulator.seen().sessions.filter(({ title }) => title === `Film ${id}`).length;
  // The last request may not have arrived.
  return isLast && made >= MAX_SESSIONS - 1;
}

describe("a batch while a seed's schedule kills workers, Temporal and the S3 server and lets the service fail", () => {
  it.each(SEEDS)(
    'loses, doubles, hides and leaks nothing, and all its histories can be replayed, with CHAOS_SEED=%d',
    (seed) => withScene((scene) => runThroughChaos(seed, scene)),
    LIMIT_MS,
  );
});
