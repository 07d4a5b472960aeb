import { randomBytes } from 'node:crypto';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createClient } from '../../../client/index';
import type { Client } from '../../../client/index';
import { systemClock } from '../../../api/clock';
import type { Simulator } from '../../../simulator/start-simulator';
import { startSimulator } from '../../../simulator/start-simulator';
import { tempFolder } from '../../support/after-test';

let simulator: Simulator;
let client: Client;
let folder: string;

beforeEach(async () => {
  folder = await tempFolder('client');
  simulator = await startSimulator({ processingMs: 10, searchLagMs: 0, seed: { media: 0, deliveries: 0 } });
  const { baseUrl, uploadUrl, account } = simulator;
  client = createClient({ baseUrl, uploadUrl, ...account });
});

afterEach(async () => {
  await client.close();
  await simulator.close();
});

describe('an upload within this process', () => {
  test('of a link sends the file behind it under the name of the link, also if the link changes meanwhile', async () => {
    await mkdir(path.join(folder, 'day'));
    await mkdir(path.join(folder, 'links'));
    await writeFile(path.join(folder, 'day', 'film-0042'), randomBytes(1000));
    const link = path.join(folder, 'links', 'latest.mp4');
    await symlink(path.join(folder, 'day', 'film-0042'), link);
    const result = await client.upload.file(link, {
      onProgress: ({ phase }) => {
        if (phase === 'uploading') void rm(link, { force: true });
      },
    });
    expect(result).toMatchObject({ status: 'COMPLETED', fileName: 'latest.mp4', bytes: 1000 });
  });

  test('of a file again under its ingest key reports no earlier media as left behind', async () => {
    const file = path.join(folder, 'clip.mp4');
    await writeFile(file, randomBytes(1000));
    const details = { ingestKey: 'clip-1', options: { startPauseMs: 1 } };
    const first = await client.upload.file(file, details);
    simulator.fault('start-lost');
    const { sleep } = systemClock;
    const hasty = jest.spyOn(systemClock, 'sleep').mockImplementation((ms, signal) => sleep(ms / 50, signal));
    const second = await client.upload.file(file, details).finally(() => hasty.mockRestore());
    expect(second.orphans).toHaveLength(1);
    expect(second.orphans[0]?.mediaId).not.toBe(first.mediaId);
    expect(second.orphansVerifiable).toBe(true);
  });
});
