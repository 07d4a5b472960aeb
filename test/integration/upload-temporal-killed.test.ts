import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TempDir } from '../support/temp-dir';
import { createTempDir } from '../support/temp-dir';
import { startTemporalServer } from '../support/temporal-server';
import type { TemporalServer } from '../support/temporal-server';
import { HELD, openUploadBed } from '../support/upload-bed';
import type { UploadBed } from '../support/upload-bed';

let data: TempDir;
let server: TemporalServer;
let bed: UploadBed;
beforeAll(async () => {
  data = await createTempDir('temporal');
  server = await startTemporalServer({ dbFile: join(data.path, 'temporal.db') });
  bed = await openUploadBed({ temporal: { address: server.address, namespace: server.namespace } });
  await bed.startWorker();
});
afterAll(async () => {
  await bed.close();
  await server.stop();
  await data.remove();
});

describe('a Temporal server that is killed in mid-part', () => {
  it('and started again on its database file loses nothing, and whoever waits for the result gets it', async () => {
    bed.simulator.fault('hold:part=2');
    const file = await bed.writeFile('film.mp4', 4);
    const options = { ...HELD, concurrency: 1 };
    const handle = await bed.start(file.path, { options });
    const result = handle.result();
    await bed.simulator.waitFor(({ event }) => event === 'held');
    await server.kill('SIGKILL');
    bed.simulator.release();
    await bed.simulator.waitFor(({ event, part }) => event === 'part-stored' && part === 2);
    server = await startTemporalServer({ port: server.port, dbFile: join(data.path, 'temporal.db') });
    const { uploadId } = await result;
    const session = bed.session(uploadId);
    expect(await bed.simulator.objectSha256(session.keyName)).toBe(file.sha256);
    expect(bed.simulator.seen()).toMatchObject({ starts: 1, completesAccepted: 1, completesRefused: 0 });
  });
});
