import { controlQueue, transferQueue } from '../../temporal/upload/types';
import { heldAt } from '../support/kill-point';
import { until } from '../support/until';
import { untilProgress, useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture({ worker: false });
/** PENDING_ACTIVITY_STATE_CANCEL_REQUESTED. */
const CANCEL_REQUESTED = 3;

let control: string;
let host: string;
beforeAll(() => {
  const { queuePrefix, accountId, config } = on.fixture;
  control = controlQueue(queuePrefix, accountId);
  host = transferQueue(queuePrefix, accountId, config.host);
});

async function statusOf(workflowId: string): Promise<string> {
  return (await on.fixture.connection.client.workflow.getHandle(workflowId).describe()).status.name;
}

describe('a cancelled upload', () => {
  it('sends no start that a worker had already taken, and leaves nothing to search for', async () => {
    const { fixture } = on;
    const hold = heldAt({ workflow: 'uploadMedia', activity: 'startSession', moment: 'before' });
    const stop = await fixture.startBareWorker({
      interceptors: { activity: [hold.factory] },
    });
    const file = await fixture.writeFile('unsent.mp4', 0.1);
    const handle = await fixture.start(file.path);
    await hold.reached;
    await handle.cancel();
    const upload = fixture.connection.client.workflow.getHandle(handle.workflowId);
    await until(
      'the start is being cancelled',
      () => upload.describe(),
      ({ raw }) => Number(raw.pendingActivities?.[0]?.state) === CANCEL_REQUESTED,
    );
    expect(await handle.progress()).toMatchObject({ phase: 'cancelling' });
    hold.release();
    await expect(handle.result()).rejects.toMatchObject({
      code: 'Cancelled',
      facts: { hint: 'This run left nothing at the service.' },
    });
    await stop();
    expect(fixture.simulator.seen().starts).toBe(0);
    const { memo } = await upload.describe();
    expect(memo).not.toHaveProperty('startPending');
  });

  it('ends although no worker serves the queue of its machine any more', async () => {
    const { fixture } = on;
    const hold = heldAt({ workflow: 'uploadMedia', activity: 'startSession', moment: 'before' });
    const stopHost = await fixture.startBareWorker({ queues: { [host]: false } });
    const stop = await fixture.startBareWorker({
      queues: { [control]: true },
      interceptors: { activity: [hold.factory] },
    });
    const file = await fixture.writeFile('stranded.mp4', 0.1);
    const handle = await fixture.start(file.path);
    await hold.reached;
    await stopHost();
    hold.release();
    await untilProgress(handle, ({ phase }) => phase === 'uploading');
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject({ code: 'Cancelled' });
    await stop();
    expect(await statusOf(handle.workflowId)).toBe('CANCELLED');
  });
});

it('an error that nobody expects in the code of the workflow fails the workflow task and not the upload, and nothing is done after it', async () => {
  const { fixture } = on;
  const { config } = fixture;
  let released = 0;
  const stop = await fixture.startBareWorker({
    change: () => ({
      completeSession: () => Promise.resolve(null as never),
      async releaseSource() {
        released += 1;
      },
    }),
  });
  const { path } = await fixture.writeFile('bug.mp4', 0.1);
  const source = { kind: 'path', path, host: config.host, deleteAfter: true, digest: 'aa' } as const;
  const handle = await fixture.start('', { source });
  const history = fixture.connection.client.workflow.getHandle(handle.workflowId);
  const message = await until('a workflow task fails', async () => {
    const { events } = await history.fetchHistory();
    const failed = events?.find((event) => event.workflowTaskFailedEventAttributes);
    return failed?.workflowTaskFailedEventAttributes?.failure?.message;
  });
  expect(message).toContain("'uploadId' of 'accepted' as it is null");
  expect([await statusOf(handle.workflowId), released]).toEqual(['RUNNING', 0]);
  await history.terminate();
  await stop();
});
