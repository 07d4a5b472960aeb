import type { WorkflowExecutionDescription } from '@temporalio/client';
import { findWaitReason } from '../../../../temporal/client/wait-reason';
import type { TemporalConnection } from '../../../../temporal/client/connect';
import { fakeQueues } from './fake-queues';

type Described = Pick<WorkflowExecutionDescription, 'raw' | 'taskQueue'>;
const CONTROL = 'media-service.acme-1';
const waiting = (...steps: object[]): Described => ({
  taskQueue: CONTROL,
  raw: { pendingActivities: steps },
});
/** Payloads are their own content; one with 'no key' can't be read. */
const decode = (payloads: readonly unknown[]): Promise<unknown[]> =>
  payloads.includes('no key') ? Promise.reject(new Error('no key')) : Promise.resolve([...payloads]);
const payloadConverter = { fromPayload: (payload: unknown) => payload };

/** A server with a worker on these machines. */
function connectionTo(...hosts: readonly string[]): TemporalConnection {
  const connection = fakeQueues(hosts.map((host) => ({ queue: CONTROL, identity: `1@${host}/aaaaaa` })));
  const options = { loadedDataConverter: { payloadCodecs: [{ decode }], payloadConverter } };
  return { ...connection, client: Object.assign(connection.client, { options }) };
}
const failed = (type: string, ...payloads: unknown[]): unknown => ({
  message: "/out can't be written",
  applicationFailureInfo: { type, details: { payloads } },
});
const EARLY = { message: 'still running', applicationFailureInfo: { category: 1 } };

it.each([
  ['nothing runs', [], undefined],
  ['a step runs for the first time', [null], undefined],
  ['a step was asked too early', [EARLY], undefined],
  [
    'a step failed with an error of our own',
    [EARLY, failed('OutputFailed', { hint: 'Free some space.' })],
    { code: 'OutputFailed', message: "/out can't be written", hint: 'Free some space.' },
  ],
  [
    "its details can't be decrypted here",
    [failed('OutputFailed', 'no key')],
    { code: 'OutputFailed', message: "/out can't be written" },
  ],
  [
    'a step failed in a way that is not foreseen',
    [{ message: 'out of memory' }],
    { code: 'Internal', message: 'out of memory' },
  ],
  [
    'the worker of a step was lost',
    [{ message: 'activity Heartbeat timeout', timeoutFailureInfo: {} }],
    { code: 'Transport', message: 'The worker was lost, or the step took longer than its time-out.' },
  ],
])('the wait reason if %s', async (_label, failures, expected) => {
  expect(
    await findWaitReason(connectionTo('near'), waiting(...failures.map((lastFailure) => ({ lastFailure })))),
  ).toEqual(expected);
});

describe('a step that no worker has taken', () => {
  const FAR = `${CONTROL}.transfer@far`;
  const LATER = { seconds: 99_999_999_999 };
  const scheduled = (name: string, more: object = {}): object => ({
    state: 1,
    activityOptions: { taskQueue: { name } },
    ...more,
  });
  it('waits for a worker of its queue if none serves it, whatever failed before', async () => {
    const lastFailure = failed('OutputFailed');
    const waitReason = await findWaitReason(connectionTo('near'), waiting(scheduled(FAR, { lastFailure })));
    expect(waitReason).toEqual({
      code: 'NoWorker',
      message: `No worker serves the task queue ${FAR}.`,
      hint: 'Run `media-service worker` on far.',
    });
  });

  it.each([
    ['a worker serves its queue', waiting(scheduled(FAR)), ['far']],
    ['a worker has taken another step from there', waiting(scheduled(FAR), scheduled(FAR, { state: 2 })), []],
    ['it is tried again later', waiting(scheduled(FAR, { nextAttemptScheduleTime: LATER })), []],
    ['the server does not report its queue', waiting({ state: 1 }), []],
  ])('waits for nothing if %s', async (_label, description, hosts) => {
    expect(await findWaitReason(connectionTo(...hosts), description)).toBeUndefined();
  });

  it("is not queried if the workers can't be seen", async () => {
    const workflowService = { describeTaskQueue: () => Promise.reject(new Error('away')) };
    const connection = { ...connectionTo(), client: { workflowService } } as never;
    expect(await findWaitReason(connection, waiting(scheduled(FAR)))).toBeUndefined();
  });

  it('can be the next step of the workflow itself', async () => {
    const raw: object = { pendingWorkflowTask: { state: 1 } };
    const description: Described = { taskQueue: CONTROL, raw };
    expect(await findWaitReason(connectionTo(), description)).toMatchObject({ code: 'NoWorker' });
    expect(await findWaitReason(connectionTo('near'), description)).toBeUndefined();
  });
});
