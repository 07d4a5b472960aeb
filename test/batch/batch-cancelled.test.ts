import { readBatchListing } from '../../temporal/batch/client/list-batches';
import { pageIdOf, progressWhen, resultsOfBatch, startRows, writeRows } from '../support/batch-fixture';
import { seenEvents } from '../support/seen-events';
import { until } from '../support/until';
import { HELD, useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture({ worker: false });
const ROWS = 6;
const options = { parallelUploads: ROWS, pageRows: ROWS };

describe('a batch that is cancelled', () => {
  it('sends no start that was waiting for its next try', async () => {
    const { fixture } = on;
    const { simulator } = fixture;
    const stop = await fixture.startWorker();
    const rows = await writeRows(fixture, 'unsent', ROWS);
    const afterSeq = simulator.events().at(-1)?.seq ?? 0;
    simulator.fault('start-503:always');
    const batch = await startRows(fixture, 'unsent', rows, { options });
    await seenEvents(simulator, { event: 'fault', count: 4, afterSeq });
    await batch.cancel();
    simulator.clearFaults();
    await expect(batch.result()).rejects.toMatchObject({ code: 'Cancelled' });
    const { starts } = simulator.seen();
    // A start that was on its way when the cancel came has its session in the results.
    const lines = await resultsOfBatch(fixture, 'unsent');
    expect(lines.filter(({ uploadId }) => uploadId !== undefined)).toHaveLength(starts);
    await stop();
    expect(simulator.seen().starts).toBe(starts);
  });

  it('ends as cancelled if it was paused in the same moment', async () => {
    const { fixture } = on;
    const { simulator } = fixture;
    const stop = await fixture.startWorker();
    const rows = await writeRows(fixture, 'paused', ROWS);
    const afterSeq = simulator.events().at(-1)?.seq ?? 0;
    simulator.fault('hold:always');
    const batch = await startRows(fixture, 'paused', rows, { options });
    await seenEvents(simulator, { event: 'held', count: 4, afterSeq });
    await stop();
    // Without a worker both come in one workflow task.
    await batch.pause();
    await batch.cancel();
    simulator.clearFaults();
    simulator.release();
    const stopNext = await fixture.startWorker();
    await expect(batch.result()).rejects.toMatchObject({
      code: 'Cancelled',
      message: expect.stringContaining(`of ${ROWS} rows are completed`),
    });
    expect(await resultsOfBatch(fixture, 'paused')).toHaveLength(ROWS);
    await stopNext();
  });

  it('ends its pages although no worker is on their machine any more, and writes its results when one comes', async () => {
    const { fixture } = on;
    const { simulator } = fixture;
    const { host } = fixture.config;
    const elsewhere = await fixture.startWorker({ host: 'another-host' });
    const stop = await fixture.startWorker();
    const rows = await writeRows(fixture, 'stranded', ROWS);
    const afterSeq = simulator.events().at(-1)?.seq ?? 0;
    simulator.fault('hold:always');
    const batch = await startRows(fixture, 'stranded', rows, {
      folder: { kind: 'path', path: `${fixture.folder}/batch-stranded`, host },
      options: { ...options, sourceHost: host, upload: { ...HELD, heartbeatMs: 2_000 } },
    });
    await seenEvents(simulator, { event: 'held', count: 4, afterSeq });
    await stop();
    const { starts } = simulator.seen();
    await batch.cancel();
    const page = fixture.connection.client.workflow.getHandle(await pageIdOf(fixture, batch.workflowId, 0));
    await until(
      'the page has ended',
      () => page.describe(),
      ({ status }) => status.name !== 'RUNNING',
    );
    expect(await progressWhen(batch, ({ phase }) => phase === 'closing')).toMatchObject({ pagesRunning: [] });
    const listed = await readBatchListing(fixture.connection, batch.workflowId);
    expect(listed).toMatchObject({ status: 'CANCELLING' });
    simulator.clearFaults();
    simulator.release();
    const stopNext = await fixture.startWorker();
    await expect(batch.result()).rejects.toMatchObject({ code: 'Cancelled' });
    expect(await resultsOfBatch(fixture, 'stranded')).toHaveLength(ROWS);
    expect(simulator.seen().starts).toBe(starts);
    await Promise.all([stopNext(), elsewhere()]);
  });
});
