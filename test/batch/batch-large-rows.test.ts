import { pageIdOf, startRows, writeRows } from '../support/batch-fixture';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();
const ROWS = 12;
const PARALLEL = 8;
/** A large file counts as four. */
const AT_ONCE = PARALLEL / 4;

it('a page with many large files never uploads more of them at once than its slots allow', async () => {
  const { fixture } = on;
  const rows = await writeRows(fixture, 'large', ROWS);
  const options = { parallelUploads: PARALLEL, pageRows: ROWS, smallFileBytes: 0 };
  const batch = await startRows(fixture, 'large', rows, { options });
  expect((await batch.result()).counts).toMatchObject({ completed: ROWS });
  const page = fixture.connection.client.workflow.getHandle(await pageIdOf(fixture, batch.workflowId, 0));
  const { events } = await page.fetchHistory();
  let open = 0;
  const seen = (events ?? []).map((event) => {
    if (event.startChildWorkflowExecutionInitiatedEventAttributes) open += 1;
    if (event.childWorkflowExecutionCompletedEventAttributes) open -= 1;
    return open;
  });
  expect(Math.max(...seen)).toBe(AT_ONCE);
  expect(open).toBe(0);
});
