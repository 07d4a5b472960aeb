import { rm, writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { listUploads } from '../../temporal/client/list-uploads';
import { openUpload } from '../../temporal/client/open-upload';
import { HELD, useUploadBed } from '../support/upload-bed';

const on = useUploadBed();

describe('a second start of the same upload', () => {
  it('joins the first while it runs, and gets its result after it ended', async () => {
    const { bed } = on;
    bed.simulator.fault('hold:part=1');
    const file = await bed.writeFile('film.mp4', 1);
    const same = { ingestKey: 'order-7', options: HELD };
    const first = await bed.start(file.path, same);
    await bed.simulator.waitFor(({ event }) => event === 'held');
    const second = await bed.start(file.path, same);
    expect([first.joined, second.joined, second.workflowId]).toEqual([false, true, first.workflowId]);
    bed.simulator.release();
    const result = await first.result();
    expect(await second.result()).toEqual(result);
    const third = await bed.start(file.path, same);
    expect([third.joined, await third.result()]).toEqual([true, result]);
    expect(bed.simulator.seen()).toMatchObject({ starts: 1, completesAccepted: 1 });
  });

  it('with another meaning is refused with what differs', async () => {
    const { bed } = on;
    const other = { ingestKey: 'order-7', media: { title: 'Another film', fileType: 'MP4' } };
    const path = `${bed.folder}/film.mp4`;
    await expect(bed.start(path, other)).rejects.toMatchObject({
      code: 'InputDiffers',
      message: expect.stringContaining('another title'),
    });
    await expect(bed.start(`${path}.other`, { ingestKey: 'order-7' })).rejects.toMatchObject({
      facts: { details: { differs: 'source' } },
    });
    expect(bed.simulator.seen().starts).toBe(1);
  });

  it('with `again` is an upload of its own', async () => {
    const { bed } = on;
    const handle = await bed.start(`${bed.folder}/film.mp4`, { ingestKey: 'order-7' }, { again: true });
    expect(handle.joined).toBe(false);
    expect(handle.workflowId).toContain('/order-7-again-');
    expect((await handle.result()).status).toBe('COMPLETED');
    expect(bed.simulator.seen().starts).toBe(2);
  });

  it('refuses `again` under a workflow ID of the caller, which names one upload only', async () => {
    const { bed } = on;
    const starting = bed.start(`${bed.folder}/film.mp4`, {}, { again: true, workflowId: 'order-7' });
    await expect(starting).rejects.toMatchObject({
      code: 'Validation',
      facts: { field: 'again', hint: expect.stringContaining('--workflow-id') },
    });
    expect(bed.simulator.seen().starts).toBe(2);
  });

  it('is found in lists with its ids, without asking a worker', async () => {
    const { bed } = on;
    const list = { accountId: bed.accountId, queuePrefix: bed.queuePrefix };
    let found = await listUploads(bed.connection, list);
    while (found.filter(({ status }) => status === 'COMPLETED').length < 2) {
      found = await listUploads(bed.connection, list);
    }
    expect(found.map(({ label }) => label)).toEqual(['film.mp4', 'film.mp4']);
    expect(found.map(({ uploadId }) => uploadId).sort()).toEqual(
      bed.simulator
        .seen()
        .sessions.map(({ uploadId }) => uploadId)
        .sort(),
    );
    expect(await listUploads(bed.connection, { ...list, limit: 1 })).toHaveLength(1);
  });

  it('of another address with the same file name is refused', async () => {
    const { bed } = on;
    const source = await bed.serveFile(`${bed.folder}/film.mp4`);
    const other = { ...source, url: String(source.url).replace(/\/([^/]*)$/, '/elsewhere/$1') };
    const first = await bed.start('', { ingestKey: 'order-9', source });
    await expect(bed.start('', { ingestKey: 'order-9', source: other })).rejects.toMatchObject({
      facts: { details: { differs: 'source' } },
    });
    const signed = { ...source, url: String(source.url).replace('canary', 'another') };
    expect((await bed.start('', { ingestKey: 'order-9', source: signed })).joined).toBe(true);
    await first.cancel();
    await first.result().catch(() => undefined);
  });
});

describe('a second start under the same id', () => {
  it('is refused if the file has changed, and says how to upload the new content', async () => {
    const { bed } = on;
    const file = await bed.writeFile('changing.mp4', 1);
    const same = { ingestKey: 'order-10' };
    await (await bed.start(file.path, same)).result();
    const { starts } = bed.simulator.seen();
    const joined = await bed.start(file.path, same);
    expect([joined.joined, joined.warning]).toEqual([true, undefined]);
    await writeFile(file.path, 'something else');
    await expect(bed.start(file.path, same)).rejects.toMatchObject({
      code: 'InputDiffers',
      message: expect.stringMatching(/has changed .* then 5242880 bytes, changed .*, now 14 bytes, changed /),
      facts: { details: { differs: 'content' }, hint: expect.stringContaining('--again') },
    });
    expect(bed.simulator.seen().starts).toBe(starts);
  });

  it('joins a file that can no longer be looked at, with a warning', async () => {
    const { bed } = on;
    const file = await bed.writeFile('moved.mp4', 1);
    const same = { ingestKey: 'order-11' };
    const first = await bed.start(file.path, same);
    const result = await first.result();
    await rm(file.path);
    const second = await bed.start(file.path, same);
    expect([second.joined, second.warning]).toEqual([
      true,
      expect.stringMatching(/not known whether the file has changed .* does not exist/),
    ]);
    expect(await second.result()).toEqual(result);
  });

  it('compares handed-over files by the digest of their content', async () => {
    const { bed } = on;
    const start = async (name: string, digest: string) => {
      const { path } = await bed.writeFile(name, 1);
      const source = { kind: 'path', path, fileName: 'film.mp4', bytes: 5_242_880, digest } as const;
      return bed.start('', { ingestKey: 'order-12', source: { ...source, deleteAfter: true } });
    };
    await (await start('one.mp4', 'aa')).result();
    expect((await start('two.mp4', 'aa')).joined).toBe(true);
    await expect(start('three.mp4', 'bb')).rejects.toMatchObject({
      code: 'InputDiffers',
      message: expect.stringContaining('then SHA-256 aa, now SHA-256 bb'),
    });
  });
});

describe('an upload that does not exist', () => {
  it('says so in words when it is asked for', async () => {
    const handle = openUpload(on.bed.connection, 'upload/none/at-all');
    const expected = { code: 'RequestRefused', message: expect.stringContaining('upload/none/at-all') };
    await expect(handle.progress()).rejects.toMatchObject(expected);
    await expect(handle.pause()).rejects.toMatchObject(expected);
    await expect(handle.cancel()).rejects.toMatchObject(expected);
    await expect(handle.result()).rejects.toMatchObject(expected);
  });
});
