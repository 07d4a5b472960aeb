import { appendFile, unlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { HELD, useUploadBed } from '../support/upload-bed';

const on = useUploadBed();

describe('a source that is not what it was', () => {
  it.each([
    ['grows', (path: string) => appendFile(path, 'more')],
    ['is touched', (path: string) => utimes(path, new Date(0), new Date(0))],
  ])('because it %s in mid-upload ends the upload, and nothing mixed is completed', async (_name, change) => {
    const { bed } = on;
    const before = bed.simulator.seen();
    bed.simulator.fault('hold:part=1');
    const held = bed.simulator.events().length;
    const file = await bed.writeFile('film.mp4', 3);
    const handle = await bed.start(file.path, { options: { ...HELD, concurrency: 1 } });
    await bed.simulator.waitFor(({ event, seq }) => event === 'held' && seq > held);
    await change(file.path);
    bed.simulator.release();
    await expect(handle.result()).rejects.toMatchObject({ code: 'SourceChanged' });
    expect(bed.simulator.seen()).toMatchObject({
      starts: before.starts + 1,
      completesAccepted: before.completesAccepted,
      completesRefused: before.completesRefused,
    });
  });

  it.each([
    ['missing', 'SourceMissing', 'gone.mp4'],
    ['outside the allowed folders', 'SourceNotAllowed', '../elsewhere.mp4'],
  ])('because it is %s ends the upload before any session is started', async (_name, code, name) => {
    const { bed } = on;
    const { starts } = bed.simulator.seen();
    const handle = await bed.start(join(bed.folder, name));
    await expect(handle.result()).rejects.toMatchObject({ code });
    expect(bed.simulator.seen().starts).toBe(starts);
  });

  it('handed over for this upload is removed at its end', async () => {
    const { bed } = on;
    const file = await bed.writeFile('handed-over.mp4', 1);
    const source = { kind: 'path', path: file.path, host: bed.config.host, deleteAfter: true } as const;
    await (await bed.start('', { source })).result();
    await expect(unlink(file.path)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
