import { unservedQueues } from '../../../../temporal/client/unserved-queues';
import { batchNeed, uploadNeed } from '../../../../temporal/client/living-workers';
import { fakeQueues } from './fake-queues';

const account = { queuePrefix: 'media-service', accountId: 'acme-1' };
const CONTROL = 'media-service.acme-1';
const onHost = (host: string): string => `${CONTROL}.transfer@${host}`;
const workers = (...identities: readonly string[]): ReturnType<typeof fakeQueues> =>
  fakeQueues(identities.map((identity) => ({ queue: CONTROL, identity })));
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
    const found = await unservedQueues(workers(...identities), need);
    expect(found.map(({ queue }) => queue)).toEqual(expected);
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
    hosts: ['mac', 'render'],
  });
  const anywhere = batchNeed({
    ...account,
    manifest: { rows: [{ source: 'https://x/a.mp4' }] },
    folder: { kind: 's3', bucket: 'b', key: 'k' },
    options: {},
  });
  expect(anywhere.hosts).toEqual([]);
});
