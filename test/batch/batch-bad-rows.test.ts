import { join } from 'node:path';
import { historyCost } from '../support/history-cost';
import { resultsOfBatch, startRows, writeRows } from '../support/batch-fixture';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();

describe('a batch whose rows fail', () => {
  it('has results of its usual size if the service gives a reason of 1 MB', async () => {
    const { fixture } = on;
    const rows = await writeRows(fixture, 'wordy', 3);
    fixture.simulator.fault(`processing-failed:1:${'codec '.repeat(175_000)}`);
    const batch = await startRows(fixture, 'wordy', rows);
    expect((await batch.result()).counts).toMatchObject({ completed: 2, failed: 1 });
    const [line] = (await resultsOfBatch(fixture, 'wordy')).filter(({ status }) => status === 'FAILED');
    expect(line?.error).toMatchObject({
      code: 'ProcessingFailed',
      message: expect.stringContaining('codec codec'),
    });
    expect(JSON.stringify(line).length).toBeLessThan(10_000);
    const { bytes } = await historyCost(fixture.connection, batch.workflowId);
    expect(bytes).toBeLessThan(100_000);
  });

  it('has a result for each of 1,000 that all fail, in a short history', async () => {
    const { fixture } = on;
    const rows = Array.from({ length: 1_000 }, (_, number) => ({
      id: `gone-${number}`,
      source: join(fixture.folder, 'gone', `${number}.mp4`),
    }));
    const options = { pageRows: 100, parallelUploads: 64, maxSameFailures: 0 };
    const batch = await startRows(fixture, 'gone', rows, { options });
    const { counts } = await batch.result();
    expect(counts).toMatchObject({ rows: 1_000, completed: 0, failed: 1_000, running: 0, waiting: 0 });
    const lines = await resultsOfBatch(fixture, 'gone');
    expect(lines.map(({ id, error }) => [id, error?.code])).toEqual(
      rows.map(({ id }) => [id, 'SourceMissing']),
    );

    expect((await historyCost(fixture.connection, batch.workflowId)).events).toBeLessThan(300);
  });
});
