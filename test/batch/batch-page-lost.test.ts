import { expect, it } from '@jest/globals';
import { expectOnce, progressWhen, resultsOfBatch, startRows, writeRows } from '../support/batch-fixture';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();

it('a page that somebody terminates by hand ends the batch, which continues when it is started again', async () => {
  const { fixture } = on;
  const rows = await writeRows(fixture, 'lost', 10);
  fixture.simulator.fault('processing-stuck:1');
  const start = { options: { parallelUploads: 4, pageRows: 5 } };
  const batch = await startRows(fixture, 'lost', rows, start);
  const { pagesRunning } = await progressWhen(
    batch,
    ({ counts, pagesRunning: open }) => counts.completed === 9 && open.length === 1,
  );
  const [page = ''] = pagesRunning;
  await fixture.connection.client.workflow.getHandle(page).terminate('by hand');
  await expect(batch.result()).rejects.toMatchObject({
    code: 'Internal',
    message: expect.stringContaining(`${page} ended without a result`),
    facts: { hint: expect.stringContaining('Start the batch again') },
  });
  fixture.simulator.release();
  const again = await startRows(fixture, 'lost', rows, start);
  expect((await again.result()).counts).toMatchObject({ rows: 10, completed: 10, failed: 0 });
  expect(await resultsOfBatch(fixture, 'lost')).toHaveLength(10);
  // The row was cancelled with its page, after its complete: the batch waits for its session and makes no new one.
  expectOnce(fixture, rows);
});
