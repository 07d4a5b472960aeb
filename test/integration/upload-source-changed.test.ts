import { randomUUID } from 'node:crypto';
import { access, appendFile, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { handOverFile } from '../../api/upload/sources/path/hand-over-file';
import type { HandedOver } from '../../api/upload/sources/path/hand-over-file';
import { uploadInput } from '../../temporal/client/upload-input';
import { controlQueue, UPLOAD_WORKFLOW } from '../../temporal/contract';
import { HELD, PART_BYTES, useUploadBed } from '../support/upload-bed';
import type { UploadBed } from '../support/upload-bed';

const on = useUploadBed();

function handOver(bed: UploadBed): Promise<HandedOver> {
  const content = Readable.from([Buffer.alloc(PART_BYTES, 'film')]);
  const { folder } = bed;
  return handOverFile({ folder, roots: [folder], fileName: 'film.mp4', open: async () => content });
}

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

  it('handed over for this upload is deleted at its end', async () => {
    const { bed } = on;
    const { source } = await handOver(bed);
    await (await bed.start('', { source })).result();
    await expect(access(source.path)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('that is to be deleted stays if it is not a handed-over one; the upload ends COMPLETED', async () => {
    const { bed } = on;
    const file = await bed.writeFile('precious.mp4', 1);
    const source = { kind: 'path', path: file.path, host: bed.config.host, deleteAfter: true } as const;
    expect(await (await bed.start('', { source })).result()).toMatchObject({ status: 'COMPLETED' });
    await access(file.path);
  });

  it('handed over by another stays if somebody without the account’s secrets starts a workflow with it', async () => {
    const { bed } = on;
    const { source } = await handOver(bed);
    const { account, queuePrefix } = bed;
    const ingestKey = `forged-${randomUUID()}`;
    const request = { source, media: { title: 'A film', fileType: 'mp4' }, ingestKey, options: {} };
    const stranger = { ...account, secretKey: 'guessed' };
    const result: unknown = await bed.connection.client.workflow.execute(UPLOAD_WORKFLOW, {
      args: [uploadInput({ account: stranger, request, queuePrefix })],
      taskQueue: controlQueue(queuePrefix, bed.accountId),
      workflowId: ingestKey,
    });
    expect(result).toMatchObject({ status: 'COMPLETED' });
    await access(source.path);
  });
});
