import { describe, expect, it } from '@jest/globals';
import {
  createUnservedLook,
  requireWorkers,
  startedWithoutWorker,
  unservedQueues,
} from '../../../../temporal/client/unserved-queues';
import { batchNeed, uploadNeed } from '../../../../temporal/client/living-workers';
import { fakeQueues } from './fake-queues';

const account = { queuePrefix: 'media-service', accountId: 'acme-1' };
const CONTROL = 'media-service.acme-1';
const onHost = (host: string): string => `${CONTROL}.transfer@${host}`;
const workers = (...identities: readonly string[]): ReturnType<typeof fakeQueues> =>
  fakeQueues(identities.map((identity) => ({ queue: CONTROL, kind: 'workflow', identity })));
const MAC = '11@mac/aaaaaa';

describe('the workers that an upload requires', () => {
  const ofUrl = uploadNeed({ ...account, source: { kind: 'http', url: 'https://x/a.mp4', label: '' } });
  const ofFile = uploadNeed({ ...account, source: { kind: 'path', path: '/a.mp4', host: 'mac' } });

  it.each([
    ['a URL by a worker anywhere', ofUrl, [MAC], []],
    ['a URL by nobody', ofUrl, [], [CONTROL]],
    ['a file by a worker of its machine', ofFile, [MAC], []],
    ['a file by a worker of another machine', ofFile, ['12@render/bbbbbb'], [onHost('mac')]],
    ['a file by nobody: a worker there would serve all', ofFile, [], [onHost('mac')]],
  ])('are checked for %s', async (_label, need, identities, expected) => {
    const found = await unservedQueues(workers(...identities).connection, need);
    expect(found.map(({ queue }) => queue)).toEqual(expected);
  });

  it('can be enforced: the refusal names queue, machine and both ways out', async () => {
    await expect(requireWorkers(workers(MAC).connection, ofFile)).resolves.toBeUndefined();
    await expect(requireWorkers(workers().connection, ofFile)).rejects.toMatchObject({
      code: 'NoWorker',
      message: `No worker serves the task queue ${onHost('mac')}.`,
      facts: {
        hint: expect.stringMatching(/ on mac, because the file is there\. .* \{sharedPath\}/),
        details: { taskQueue: onHost('mac') },
      },
    });
    await expect(requireWorkers(workers().connection, ofUrl)).rejects.toMatchObject({
      message: `No worker serves the task queue ${CONTROL}.`,
      facts: { hint: expect.stringContaining('Run `media-service worker`') },
    });
  });
});

it('a batch requires each machine of its folder, manifest and files once', () => {
  const need = batchNeed({
    ...account,
    manifest: { source: { kind: 'path', path: '/m.csv', host: 'mac' }, format: 'csv' },
    folder: { kind: 'path', path: '/out', host: 'mac' },
    options: { sourceHost: 'render' },
  });
  expect(need).toEqual({
    ...account,
    hosts: [
      { host: 'mac', because: 'the folder of the batch is there' },
      { host: 'render', because: 'the files are there' },
    ],
  });
  const anywhere = batchNeed({
    ...account,
    manifest: { rows: [{ source: 'https://x/a.mp4' }] },
    folder: { kind: 's3', bucket: 'b', key: 'k' },
    options: {},
  });
  expect(anywhere.hosts).toEqual([]);
});

describe('a start without a worker', () => {
  const starts = 'The upload starts';
  it.each([
    ['anywhere, from this machine', { queue: CONTROL }, 'mac', 'on this machine'],
    ['for a file of this machine', { queue: onHost('mac'), host: 'mac' }, 'mac', 'on this machine'],
    ['for a file of another machine', { queue: onHost('render'), host: 'render' }, 'mac', 'on render'],
    ['anywhere, from n8n', { queue: CONTROL }, undefined, 'with the secrets of this account'],
    ['for a file of a machine, from n8n', { queue: onHost('mac'), host: 'mac' }, undefined, 'on mac'],
  ])('%s says where to run one', (_label, unserved, here, where) => {
    expect(startedWithoutWorker(unserved, { starts, here })).toEqual({
      message: `No worker serves the task queue ${unserved.queue} yet`,
      hint: `The upload starts when a worker does. Run \`media-service worker\` ${where}.`,
    });
  });
});

it('a check of queues asks the server only once per queue within some seconds', async () => {
  const { connection, asked } = workers(MAC);
  const look = createUnservedLook(connection);
  expect(await look({ control: CONTROL, queue: CONTROL })).toBeUndefined();
  const after = asked();
  expect(await look({ control: CONTROL, queue: CONTROL })).toBeUndefined();
  expect(asked()).toBe(after);
  expect(await look({ control: CONTROL, queue: onHost('render') })).toEqual({
    queue: onHost('render'),
    host: 'render',
  });
});
