import { rm } from 'node:fs/promises';
import type { IBinaryData } from 'n8n-workflow';
import { afterTest } from '../../support/after-test';
import { processingHeld } from '../../support/held';
import {
  activateWorkflow,
  executionsOf,
  importWorkflow,
  readExecution,
  startExecution,
  stopExecution,
  waitForExecution,
} from '../support/n8n-executions';
import { workflowAfterWebhook } from '../support/upload-workflow';
import { measuredUpload } from './support/measured-upload';
import type { MeasuredUpload } from './support/measured-upload';
import { useQueueStage } from './support/queue-stage';
import type { Sender } from './support/queue-stage';
import { randomSha256 } from './support/random-server';
import { until } from '../../support/until';

const NAME = 'feature.mp4';
const SMALL = 24_000_000;
const LARGE = 100_000_000;
/** Measured: a worker that reads nothing grew by 4 to 19 MB, one that reads 250 MB by 1,268 and 1,326 MB. */
const UNREAD_MB = 40;

const on = useQueueStage();
let small: IBinaryData;
let large: IBinaryData;
beforeAll(async () => {
  small = await on.stage.fetchFile(NAME, SMALL);
  large = await on.stage.fetchFile(NAME, LARGE);
});

describe("in queue mode, with binary data in the database (n8n's default there),", () => {
  test('stopping the execution in the main process aborts the running part', async () => {
    const { simulator } = on.stage.fixture;
    const from = simulator.events().at(-1)?.seq ?? 0;
    // Slow enough to run for a minute, and fast enough to be no stall.
    simulator.fault('put-trickle:1:part=1,bytes=100000,rate=250000');
    const id = await startExecution(on.stage.n8n.rest, await on.stage.importUpload(small, 'n8n'), 'Start');
    const { uploadId } = await simulator.waitFor(({ seq, event }) => seq > from && event === 'fault');
    await stopExecution(on.stage.n8n.rest, id);
    expect((await waitForExecution(on.stage.n8n.rest, id)).status).toBe('canceled');
    await simulator.waitFor(
      ({ event, part, ...facts }) => event === 'part-broken' && part === 1 && facts.uploadId === uploadId,
    );
    const session = simulator.seen().sessions.find((one) => one.uploadId === uploadId);
    expect(session).toMatchObject({ completesAccepted: 0, completesRefused: 0 });
    expect(session?.parts.map(({ partNumber }) => partNumber)).not.toContain(1);
  });

  test("an execution that waits for a worker rests: the main process takes the post, and n8n's worker continues", async () => {
    const { fixture, n8n, worker, credentials } = on.stage;
    const held = processingHeld(fixture.simulator, 1);
    const { path } = await fixture.writeFile('resting.mp4', 1);
    afterTest(() => rm(path));
    const workflow = await importWorkflow(n8n.rest, workflowAfterWebhook('resting'), credentials);
    await activateWorkflow(n8n.rest, workflow);
    await fetch(`${n8n.url}/webhook/resting`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', connection: 'close' },
      body: JSON.stringify({ path }),
    });
    const [id = ''] = await executionsOf(n8n.rest, workflow);
    await held;
    await until(
      'the execution rests',
      () => readExecution(n8n.rest, id),
      ({ status }) => status === 'waiting',
    );
    fixture.simulator.release();
    const ended = await waitForExecution(n8n.rest, id);
    expect(ended.output('After')).toMatchObject([{ json: { status: 'COMPLETED', fileName: 'resting.mp4' } }]);
    expect(worker.log().split(`Worker started execution ${id} `)).toHaveLength(3);
  });

  // The memory for reading a file once depends on n8n, and varies by hundreds of MB with its garbage collector.
  test('a file of 100 MB arrives whole, and is read from the database once', async () => {
    expect((await readsOf(() => sendLarge('n8n'))).reads).toBe(1);
  });

  test("a file of 100 MB arrives whole through a worker: n8n's main process reads it, and n8n's worker reads nothing", async () => {
    // What loads with the first upload on a worker is not part of the measurement.
    await on.stage.runOnWorker(await on.stage.importUpload(small, 'worker'));
    const { reads, result } = await readsOf(() => sendLarge('worker'));
    expect(reads).toBe(1);
    expect(result.worker.growth).toBeLessThan(UNREAD_MB);
  });

  test('a file that n8n can store in PostgreSQL but not read again is refused with a clear message', async () => {
    const binary = await on.stage.fetchFile(NAME, 500_000_000);
    const { error } = await on.stage.runOnWorker(await on.stage.importUpload(binary, 'worker'));
    expect(error?.message).toContain("n8n can't read this file back from its database");
    expect(error?.description).toContain('N8N_DEFAULT_BINARY_DATA_MODE');
    expect(await on.stage.leftovers()).toEqual([]);
  });
});

async function sendLarge(sender: Sender): Promise<MeasuredUpload> {
  expect(large).toMatchObject({ bytes: LARGE, data: 'database' });
  const measured = await measuredUpload(on.stage, large, sender);
  const { json } = measured;
  expect(json).toMatchObject({ status: 'COMPLETED', bytes: LARGE, fileName: NAME });
  expect(await on.stage.fixture.storedSha256(json['uploadId'])).toBe(randomSha256(NAME, LARGE));
  expect(await on.stage.leftovers()).toEqual([]);
  return measured;
}

async function readsOf<T>(work: () => Promise<T>): Promise<{ reads: number; result: T }> {
  const before = await on.stage.databaseReads();
  const result = await work();
  return { reads: (await on.stage.databaseReads()) - before, result };
}
