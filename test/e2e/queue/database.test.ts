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
  waitForExecution,
} from '../support/n8n-executions';
import { callWebhook, workflowAfterWebhook } from '../support/upload-workflow';
import { measuredUpload } from './support/measured-upload';
import { useQueueStage } from './support/queue-stage';
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
  small = await on.fetchFile(NAME, SMALL);
  large = await on.fetchFile(NAME, LARGE);
});

describe("in queue mode, with binary data in the database (n8n's default there),", () => {
  test('stopping the execution in the main process aborts the running part', async () => {
    const { simulator } = on;
    const from = simulator.events().at(-1)?.seq ?? 0;
    // Slow enough to run for a minute, and fast enough to be no stall.
    simulator.fault('put-trickle:1:part=1,bytes=100000,rate=250000');
    const id = await startExecution(on.n8n.rest, await on.importUpload(small, 'n8n'), 'Start');
    const { uploadId } = await simulator.waitFor(({ seq, event }) => seq > from && event === 'fault');
    await on.n8n.rest.request('POST', `/executions/${id}/stop`);
    expect((await waitForExecution(on.n8n.rest, id)).status).toBe('canceled');
    await simulator.waitFor(
      ({ event, part, ...facts }) => event === 'part-broken' && part === 1 && facts.uploadId === uploadId,
    );
    const session = simulator.seen().sessions.find((one) => one.uploadId === uploadId);
    expect(session).toMatchObject({ completesAccepted: 0, completesRefused: 0 });
    expect(session?.parts.map(({ partNumber }) => partNumber)).not.toContain(1);
  });

  test("an execution that waits for a worker rests: the main process takes the post, and n8n's worker continues", async () => {
    const { fixture, n8n, worker, credentials } = on;
    const held = processingHeld(fixture.simulator, 1);
    const { path } = await fixture.writeFile('resting.mp4', 1);
    afterTest(() => rm(path));
    const workflow = await importWorkflow(n8n.rest, workflowAfterWebhook('resting'), credentials);
    await activateWorkflow(n8n.rest, workflow);
    await callWebhook(n8n, 'resting', { path });
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

  test('a file of 100 MB arrives whole', async () => {
    // By such an ID, the node knows files that n8n may not be able to read back.
    expect(large).toMatchObject({ bytes: LARGE, id: expect.stringMatching(/^database:/) });
    // The memory for reading it depends on n8n, and varies by hundreds of MB with its garbage collector.
    await measuredUpload(on, large, 'n8n');
  });

  test("a file of 100 MB arrives whole through a worker, and n8n's worker reads nothing of it", async () => {
    // What loads with the first upload on a worker is not part of the measurement.
    await on.runOnWorker(await on.importUpload(small, 'worker'));
    const { worker } = await measuredUpload(on, large, 'worker');
    expect(worker.growth).toBeLessThan(UNREAD_MB);
  });
});
