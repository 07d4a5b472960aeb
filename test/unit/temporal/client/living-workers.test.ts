import { livingWorkers } from '../../../../temporal/client/living-workers';
import { fakeQueues } from './fake-queues';
import type { Polled } from './fake-queues';

const CONTROL = 'media-service.acme-1';
const TRANSFER = `${CONTROL}.transfer`;
const MAC = '11@mac/aaaaaa';
const RENDER = '12@render/bbbbbb';
const OWN = 'my-worker';

const onControl = (identity: string, more: Partial<Polled> = {}) => ({ queue: CONTROL, identity, ...more });

/** The names of the workers that serve a queue according to these polls. */
async function serving(queue: string, polls: readonly Polled[]): Promise<string[]> {
  const found = await livingWorkers(fakeQueues(polls), queue);
  return found.map(({ identity }) => identity).sort();
}

describe('a worker that polls only for workflow tasks, since all its activity slots are busy,', () => {
  const busy = [onControl(MAC)];
  it.each([
    ['the control queue', CONTROL, [MAC]],
    ['the transfer queue', TRANSFER, [MAC]],
    ['the queue of its machine', `${TRANSFER}@mac`, [MAC]],
    ['the queue of another machine', `${TRANSFER}@render`, []],
  ])('counts for %s', async (_label, queue, expected) => {
    expect(await serving(queue, busy)).toEqual(expected);
  });
});

describe('workers that serve a queue', () => {
  it('are gone 70 s after their last poll', async () => {
    const polls = [onControl(MAC, { secondsAgo: 60 }), onControl(RENDER, { secondsAgo: 80 })];
    expect(await serving(CONTROL, polls)).toEqual([MAC]);
  });

  it('count for the account if their name has another form, and for no machine', async () => {
    expect(await serving(TRANSFER, [onControl(OWN)])).toEqual([OWN]);
    expect(await serving(`${TRANSFER}@mac`, [onControl(OWN)])).toEqual([]);
  });

  it('do not serve the control queue if they poll only for its activities', async () => {
    expect(await serving(CONTROL, [onControl(OWN, { kind: 'activity' })])).toEqual([]);
  });

  it('show their machine and when they were last seen', async () => {
    const connection = fakeQueues([onControl(MAC), onControl(OWN)]);
    expect(await livingWorkers(connection, CONTROL)).toEqual([
      { identity: MAC, host: 'mac', lastSeen: expect.any(Date) },
      { identity: OWN, lastSeen: expect.any(Date) },
    ]);
  });
});

it("a server that can't be queried gives our own error", async () => {
  const describeTaskQueue = () => Promise.reject(Object.assign(new Error('away'), { code: 14 }));
  const connection = { ...fakeQueues([]), client: { workflowService: { describeTaskQueue } } } as never;
  await expect(livingWorkers(connection, CONTROL)).rejects.toMatchObject({ code: 'TemporalUnreachable' });
});
