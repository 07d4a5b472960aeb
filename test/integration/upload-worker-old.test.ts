import { describe, expect, it } from '@jest/globals';
import { UPLOAD_INPUT_SCHEMA, UPLOAD_WORKFLOW } from '../../temporal/contract/upload';
import { uploadInput } from '../../temporal/client/upload-input';
import { requestOf, useUploadFixture } from '../support/upload-fixture';
import { until } from '../support/until';

const on = useUploadFixture();

describe('a worker that is older than the starter', () => {
  it('leaves an input of a later schema to a newer worker: nothing fails and nothing is sent', async () => {
    const { fixture } = on;
    const { client } = fixture.connection;
    const file = await fixture.writeFile('film.mp4', 1);
    const { account, queuePrefix } = fixture;
    const input = uploadInput({ account, queuePrefix, request: requestOf(file.path) });
    const handle = await client.workflow.start(UPLOAD_WORKFLOW, {
      workflowId: `upload/${fixture.accountId}/too-new`,
      taskQueue: `${queuePrefix}.${fixture.accountId}`,
      args: [{ ...input, schema: UPLOAD_INPUT_SCHEMA + 1 }],
    });
    const refusal = await until('a workflow task fails', async () => {
      const { events } = await handle.fetchHistory();
      const failed = events?.find((event) => event.workflowTaskFailedEventAttributes);
      return failed?.workflowTaskFailedEventAttributes?.failure?.message;
    });
    expect(refusal).toContain('update the workers');
    expect((await handle.describe()).status.name).toBe('RUNNING');
    expect(fixture.simulator.seen().starts).toBe(0);
    await handle.terminate();
  });
});
