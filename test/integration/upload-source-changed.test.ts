import { randomUUID } from 'node:crypto';
import { access, appendFile, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { handOverFile } from '../../api/upload/sources/path/hand-over-file';
import type { HandedOver } from '../../api/upload/sources/path/hand-over-file';
import { uploadInput } from '../../temporal/client/upload-input';
import { controlQueue, UPLOAD_WORKFLOW } from '../../temporal/contract/upload';
import { HELD, PART_BYTES, useUploadFixture } from '../support/upload-fixture';
import type { UploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();

function handOver(fixture: UploadFixture): Promise<HandedOver> {
  const content = Readable.from([Buffer.alloc(PART_BYTES, 'film')]);
  const { folder } = fixture;
  return handOverFile({ folder, roots: [folder], fileName: 'film.mp4', open: async () => content });
}

describe('a source that changed', () => {
  it.each([
    ['grows', (path: string) => appendFile(path, 'more')],
    ['is touched', (path: string) => utimes(path, new Date(0), new Date(0))],
  ])(
    'because it %s during the upload ends the upload, and no mixed file is completed',
    async (_name, change) => {
      const { fixture } = on;
      const before = fixture.simulator.seen();
      fixture.simulator.fault('hold:part=1');
      const held = fixture.simulator.events().length;
      const file = await fixture.writeFile('film.mp4', 3);
      const handle = await fixture.start(file.path, { options: { ...HELD, concurrency: 1 } });
      await fixture.simulator.waitFor(({ event, seq }) => event === 'held' && seq > held);
      await change(file.path);
      fixture.simulator.release();
      await expect(handle.result()).rejects.toMatchObject({ code: 'SourceChanged' });
      expect(fixture.simulator.seen()).toMatchObject({
        starts: before.starts + 1,
        completesAccepted: before.completesAccepted,
        completesRefused: before.completesRefused,
      });
    },
  );

  it.each([
    ['missing', 'SourceMissing', 'gone.mp4'],
    ['outside the allowed folders', 'SourceNotAllowed', '../elsewhere.mp4'],
  ])('because it is %s ends the upload before any session is started', async (_name, code, name) => {
    const { fixture } = on;
    const { starts } = fixture.simulator.seen();
    const handle = await fixture.start(join(fixture.folder, name));
    await expect(handle.result()).rejects.toMatchObject({ code });
    expect(fixture.simulator.seen().starts).toBe(starts);
  });

  it('is deleted at the end if it was handed over for this upload', async () => {
    const { fixture } = on;
    const { source } = await handOver(fixture);
    await (await fixture.start('', { source })).result();
    await expect(access(source.path)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('is kept if it was not handed over, even if the options say to delete it; the upload ends COMPLETED', async () => {
    const { fixture } = on;
    const file = await fixture.writeFile('precious.mp4', 1);
    const source = { kind: 'path', path: file.path, host: fixture.config.host, deleteAfter: true } as const;
    expect(await (await fixture.start('', { source })).result()).toMatchObject({ status: 'COMPLETED' });
    await access(file.path);
  });

  it("is kept if another upload owns it and a workflow was started without the account's secrets", async () => {
    const { fixture } = on;
    const { source } = await handOver(fixture);
    const { account, queuePrefix } = fixture;
    const ingestKey = `forged-${randomUUID()}`;
    const request = { source, media: { title: 'A film', fileType: 'mp4' }, ingestKey, options: {} };
    const stranger = { ...account, secretKey: 'guessed' };
    const result: unknown = await fixture.connection.client.workflow.execute(UPLOAD_WORKFLOW, {
      args: [uploadInput({ account: stranger, request, queuePrefix })],
      taskQueue: controlQueue(queuePrefix, fixture.accountId),
      workflowId: ingestKey,
    });
    expect(result).toMatchObject({ status: 'COMPLETED' });
    await access(source.path);
  });
});
