import fs, { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, jest } from '@jest/globals';
import { useUploadBed } from '../support/upload-bed';

const on = useUploadBed({ worker: false });

describe('a source that knows no Range', () => {
  it('is copied to the spool folder of one machine, sent from there, and the copy is removed', async () => {
    const { bed } = on;
    const spoolDir = join(bed.folder, 'spool');
    await mkdir(spoolDir);
    const [forgotten, young, foreign] = ['old.spooled', 'young.spooled', 'foreign.txt'].map((name) =>
      join(spoolDir, name),
    );
    for (const left of [forgotten, young, foreign]) await writeFile(String(left), 'left');
    await utimes(String(forgotten), new Date(0), new Date(0));
    const stop = await bed.startWorker({ spoolDir });
    const file = await bed.writeFile('film.mp4', 2);
    const source = { ...(await bed.serveFile(file.path)), spool: true };
    const result = await (await bed.start('', { source })).result();
    expect(await bed.simulator.objectSha256(bed.session(result.uploadId).keyName)).toBe(file.sha256);
    expect((await readdir(spoolDir)).sort()).toEqual(['foreign.txt', 'young.spooled']);
    await stop();
  });

  it('is compared by what its server said of it if a start joins an upload of it', async () => {
    const { bed } = on;
    const spoolDir = join(bed.folder, 'compared');
    await mkdir(spoolDir);
    const stop = await bed.startWorker({ spoolDir });
    const file = await bed.writeFile('replaced.mp4', 1);
    const source = { ...(await bed.serveFile(file.path)), spool: true };
    const asked = { ingestKey: 'replaced', source };
    const result = await (await bed.start('', asked)).result();
    const again = await bed.start('', asked);
    expect([again.joined, again.warning, await again.result()]).toEqual([true, undefined, result]);
    await writeFile(file.path, 'another film');
    await expect(bed.start('', asked)).rejects.toMatchObject({
      code: 'InputDiffers',
      message: expect.stringMatching(/then 5242880 bytes.*, now 12 bytes/),
    });
    await stop();
  });

  it('waits while the spool folder has no room for it, says so, and is sent once there is some', async () => {
    const { bed } = on;
    const spoolDir = join(bed.folder, 'full');
    await mkdir(spoolDir);
    const stop = await bed.startWorker({ spoolDir });
    const space = { bsize: 1, blocks: 1e12, bavail: 0 };
    const statfs = jest
      .spyOn(fs, 'statfs')
      .mockImplementation((async () => space) as unknown as typeof fs.statfs);
    try {
      const file = await bed.writeFile('waits.mp4', 1);
      const source = { ...(await bed.serveFile(file.path)), spool: true };
      const handle = await bed.start('', { source });
      let progress = await handle.progress();
      while (progress.heldUpBy === undefined) {
        await setTimeout(100);
        progress = await handle.progress();
      }
      expect(progress).toMatchObject({
        phase: 'pinning',
        heldUpBy: {
          code: 'SourceUnavailable',
          message: expect.stringContaining(`the spool folder ${spoolDir} has no room for the source`),
          hint: expect.stringContaining('MEDIA_SERVICE_SPOOL_DIR'),
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

  it('where no worker has a spool folder is an error that names the setting', async () => {
    const { bed } = on;
    await bed.startWorker();
    const { starts } = bed.simulator.seen();
    const file = await bed.writeFile('other.mp4', 1);
    const source = { ...(await bed.serveFile(file.path)), spool: true };
    const handle = await bed.start('', { source });
    await expect(handle.result()).rejects.toMatchObject({
      code: 'Configuration',
      facts: { hint: expect.stringContaining('MEDIA_SERVICE_SPOOL_DIR') },
    });
    expect(bed.simulator.seen().starts).toBe(starts);
  });
});
