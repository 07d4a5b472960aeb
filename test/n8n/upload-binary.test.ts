import { readFile } from 'node:fs/promises';
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
test("the worker fetches stored binary data from n8n's signed address", async () => {
  await storeIn(join(on.folder, 'n8n'), 'filesystem');
  const n8n = await serveSignedBinaries();
  try {
    const { items, error, run } = await on.run(upload({ source: 'binary' }), {
      items: [item],
      restApiUrl: n8n.restApiUrl,
    });
    expect(error).toBeUndefined();
    expect(await sha256Of(items[0]?.json['uploadId'])).toBe(file.sha256);
    expect(n8n.served()).toBe(1);
    expect(storedText(run)).not.toMatch(/token=/);
  } finally {
    await n8n.close();
  }
});

test('another file of the same name and size under the same ingest key is refused', async () => {
  await storeIn(join(on.folder, 'n8n'), 'filesystem');
  const n8n = await serveSignedBinaries();
  const start = () =>
    on.run(upload({ source: 'binary', ingestKey: 'order' }), {
      items: [item],
      restApiUrl: n8n.restApiUrl,
    });
  try {
    const first = await start();
    expect(first.items[0]?.json).toMatchObject({ status: 'COMPLETED', joined: false });
    expect((await start()).items[0]?.json).toMatchObject({ joined: true });
    const bytes = await readFile(file.path);
    bytes.writeUInt8((bytes.readUInt8(0) + 1) % 256, 0);
    item = await stored(bytes);
    const { error } = await start();
    expect(error).toMatchObject({ message: expect.stringMatching(/has changed since .* SHA-256/) });
  } finally {
    await n8n.close();
  }
});

test('binary data in memory is an error that says where to take the file from', async () => {
  await storeIn(join(on.folder, 'n8n'), 'default');
  const { error } = await on.run(upload({ source: 'binary' }), { items: [item] });
  expect(error?.message).toBe('n8n keeps this file in memory: no worker can fetch it');
  expect(error?.description).toMatch(/N8N_DEFAULT_BINARY_DATA_MODE/);
});

test('a binary field that the item lacks is an error that names it', async () => {
  const { error } = await on.run(upload({ source: 'binary', binaryPropertyName: 'video' }), {
    items: [item],
  });
  expect(error?.message).toMatch(/no binary field 'video'/);
});
