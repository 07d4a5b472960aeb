import fs, { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, jest } from '@jest/globals';
import { useUploadFixture } from '../support/upload-fixture';
import { until } from '../support/until';

const on = useUploadFixture({ worker: false });

describe('a source without support for Range', () => {
  it('is copied to the spool folder of one machine, sent from there, and the copy is removed', async () => {
    const { fixture } = on;
    const spoolDir = join(fixture.folder, 'spool');
    await mkdir(spoolDir);
    const [forgotten, young, foreign] = ['old.spooled', 'young.spooled', 'foreign.txt'].map((name) =>
      join(spoolDir, name),
    );
    for (const left of [forgotten, young, foreign]) await writeFile(String(left), 'left');
    await utimes(String(forgotten), new Date(0), new Date(0));
    const stop = await fixture.startWorker({ spoolDir });
    const file = await fixture.writeFile('film.mp4', 2);
    const source = { ...(await fixture.serveFile(file.path)), spool: true };
    const result = await (await fixture.start('', { source })).result();
    expect(await fixture.simulator.objectSha256(fixture.session(result.uploadId).keyName)).toBe(file.sha256);
    expect((await readdir(spoolDir)).sort()).toEqual(['foreign.txt', 'young.spooled']);
    await stop();
  });

  it('is compared by what its server said about it when a start joins its upload', async () => {
    const { fixture } = on;
    const spoolDir = join(fixture.folder, 'compared');
    await mkdir(spoolDir);
    const stop = await fixture.startWorker({ spoolDir });
    const file = await fixture.writeFile('replaced.mp4', 1);
    const source = { ...(await fixture.serveFile(file.path)), spool: true };
    const asked = { ingestKey: 'replaced', source };
    const result = await (await fixture.start('', asked)).result();
    const again = await fixture.start('', asked);
    expect([again.joined, again.warning, await again.result()]).toEqual([true, undefined, result]);
    await writeFile(file.path, 'another film');
    await expect(fixture.start('', asked)).rejects.toMatchObject({
      code: 'InputDiffers',
      message: expect.stringMatching(/then 5242880 bytes.*, now 12 bytes/),
    });
    await stop();
  });

  it('waits while the spool folder has no room for it, says so, and is sent once there is room', async () => {
    const { fixture } = on;
    const spoolDir = join(fixture.folder, 'full');
    await mkdir(spoolDir);
    const stop = await fixture.startWorker({ spoolDir });
    const space = { bsize: 1, blocks: 1e12, bavail: 0 };
    const statfs = jest
      .spyOn(fs, 'statfs')
      .mockImplementation((async () => space) as unknown as typeof fs.statfs);
    try {
      const file = await fixture.writeFile('waits.mp4', 1);
      const source = { ...(await fixture.serveFile(file.path)), spool: true };
      const handle = await fixture.start('', { source });
      const progress = await until(
        'the upload says what it waits for',
        () => handle.progress(),
        ({ waitReason }) => waitReason !== undefined,
      );
      expect(progress).toMatchObject({
        phase: 'pinning',
        waitReason: {
          code: 'SourceUnavailable',
          message: expect.stringContaining(`the spool folder ${spoolDir} has no room for the source`),
          remedy: expect.objectContaining({ kind: 'set-spool-folder' }),
        },
      });
      expect(await readdir(spoolDir)).toEqual([]);
      space.bavail = 1e12;
      expect(await handle.result()).toMatchObject({ status: 'COMPLETED' });
    } finally {
      statfs.mockRestore();
      await stop();
    }
  });

  it('is an error that names the setting if no worker has a spool folder', async () => {
    const { fixture } = on;
    await fixture.startWorker();
    const { starts } = fixture.simulator.seen();
    const file = await fixture.writeFile('other.mp4', 1);
    const source = { ...(await fixture.serveFile(file.path)), spool: true };
    const handle = await fixture.start('', { source });
    await expect(handle.result()).rejects.toMatchObject({
      code: 'Configuration',
      facts: { remedy: expect.objectContaining({ kind: 'set-spool-folder' }) },
    });
    expect(fixture.simulator.seen().starts).toBe(starts);
  });
});
