import { describe, expect, it } from '@jest/globals';
import { UPLOAD_INPUT_SCHEMA, UPLOAD_WORKFLOW } from '../../temporal/contract';
import { uploadInput } from '../../temporal/client/upload-input';
import { requestOf, useUploadBed } from '../support/upload-bed';

const on = useUploadBed();

describe('a worker that is older than the starter', () => {
  it('refuses an input of a later schema so that a newer worker can still take it: nothing fails, nothing is sent', async () => {
    const { bed } = on;
    const { client } = bed.connection;
    const file = await bed.writeFile('film.mp4', 1);
    const { account, queuePrefix } = bed;
    const input = uploadInput({ account, queuePrefix, request: requestOf(file.path) });
    const handle = await client.workflow.start(UPLOAD_WORKFLOW, {
      workflowId: `upload/${bed.accountId}/too-new`,
      taskQueue: `${queuePrefix}.${bed.accountId}`,
      args: [{ ...input, schema: UPLOAD_INPUT_SCHEMA + 1 }],
    });
    let refusal: string | undefined;
    while (refusal === undefined) {
      const { events } = await handle.fetchHistory();
      refusal =
        events?.find((event) => event.workflowTaskFailedEventAttributes)?.workflowTaskFailedEventAttributes
          ?.failure?.message ?? undefined;
    }
    expect(refusal).toContain('update the workers');
    expect((await handle.describe()).status.name).toBe('RUNNING');
    expect(bed.simulator.seen().starts).toBe(0);
    await handle.terminate();
  });
});
