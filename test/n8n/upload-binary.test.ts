import { readFile, readdir } from 'node:fs/promises';
import { afterTest } from '../support/after-test';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { binaryService, storedText, useBinaryData } from './support/run-workflow';
import { serveSignedBinaries } from './support/signed-binaries';
import { useUploadSetting } from './support/upload-setting';

const on = useUploadSetting();

const upload = (parameters: INodeParameters): INodeParameters => ({ operation: 'upload', ...parameters });
const sha256Of = async (uploadId: unknown): Promise<string> => {
  const session = on.simulator.seen().sessions.find((one) => one.uploadId === uploadId);
  return on.simulator.objectSha256(session?.keyName ?? 'no such session');
};

let item: INodeExecutionData;
let file: { readonly path: string; readonly sha256: string };

const storeIn = async (folder: string, mode: 'filesystem' | 'default'): Promise<void> => {
  await useBinaryData(folder, mode);
  item = await stored(await readFile(file.path));
};
async function stored(content: Buffer): Promise<INodeExecutionData> {
  const binary = { mimeType: 'video/mp4', fileName: 'from n8n.mp4', data: '' };
  const location = { type: 'execution', workflowId: 'w', executionId: 'e' } as const;
  return { json: {}, binary: { data: await binaryService().store(location, content, binary) } };
}
beforeAll(async () => {
  file = await on.writeFile('binary.bin', 6);
});
test('binary data that n8n keeps in memory is sent to the worker, which keeps no copy of it', async () => {
  await storeIn(join(on.folder, 'n8n'), 'default');
  const spool = join(on.folder, 'spool');
  const copies = async (): Promise<string[]> =>
    (await readdir(spool)).filter((name) => !name.endsWith('.claimed'));
  const before = await copies();
  const { items, error } = await on.run(upload({ source: 'binary' }), { items: [item] });
  expect(error).toBeUndefined();
  expect(items[0]?.json).toMatchObject({ status: 'COMPLETED', fileType: 'MP4', fileName: 'from n8n.mp4' });
  expect(await sha256Of(items[0]?.json['uploadId'])).toBe(file.sha256);
  expect(await copies()).toEqual(before);
});

test("the worker fetches stored binary data from n8n's signed address", async () => {
  await storeIn(join(on.folder, 'n8n'), 'filesystem');
  const n8n = await serveSignedBinaries();
  afterTest(() => n8n.close());
  const { items, error, run } = await on.run(upload({ source: 'binary' }), {
    items: [item],
    restApiUrl: n8n.restApiUrl,
  });
  expect(error).toBeUndefined();
  expect(await sha256Of(items[0]?.json['uploadId'])).toBe(file.sha256);
  expect(n8n.served()).toBe(1);
  expect(storedText(run)).not.toMatch(/token=/);
});

test.each(['memory', 'signed address'] as const)(
  'another file of the same name and size under the same ingest key is refused (%s)',
  async (way) => {
    await storeIn(join(on.folder, 'n8n'), way === 'memory' ? 'default' : 'filesystem');
    const n8n = await serveSignedBinaries();
    afterTest(() => n8n.close());
    const start = () =>
      on.run(upload({ source: 'binary', ingestKey: `order of ${way}` }), {
        items: [item],
        restApiUrl: n8n.restApiUrl,
      });
    const first = await start();
    expect(first.items[0]?.json).toMatchObject({ status: 'COMPLETED', joined: false });
    expect((await start()).items[0]?.json).toMatchObject({ joined: true });
    const bytes = await readFile(file.path);
    bytes.writeUInt8((bytes.readUInt8(0) + 1) % 256, 0);
    item = await stored(bytes);
    const { error } = await start();
    expect(error).toMatchObject({ message: expect.stringMatching(/has changed since .* SHA-256/) });
  },
);
