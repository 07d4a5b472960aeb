import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { WrittenFile } from '../support/source-file';
import type { INodeExecutionData } from 'n8n-workflow';
import { storeBinary, useBinaryData } from './support/binary-data';
import type { BinaryMode } from './support/binary-data';
import { storedText } from './support/run-workflow';
import { serveSignedBinaries } from './support/signed-binaries';
import { useUploadSetting } from './support/upload-setting';

const on = useUploadSetting();

let item: INodeExecutionData;
let file: WrittenFile;

const storeIn = async (folder: string, mode: BinaryMode): Promise<void> => {
  await useBinaryData(folder, mode);
  item = await itemOf(await readFile(file.path));
};
const itemOf = async (content: Buffer): Promise<INodeExecutionData> => ({
  json: {},
  binary: { data: await storeBinary(content, { fileName: 'from n8n.mp4' }) },
});
beforeAll(async () => {
  file = await on.writeFile('binary.bin', 6);
});
test('binary data that n8n keeps in memory is sent to the worker, which keeps no copy of it', async () => {
  await storeIn(join(on.folder, 'n8n'), 'default');
  const spool = join(on.folder, 'spool');
  const copies = async (): Promise<string[]> =>
    (await readdir(spool)).filter((name) => !name.endsWith('.claimed'));
  const before = await copies();
  const { items, error } = await on.run({ source: 'binary' }, { items: [item] });
  expect(error).toBeUndefined();
  expect(items[0]?.json).toMatchObject({ status: 'COMPLETED', fileType: 'MP4', fileName: 'from n8n.mp4' });
  expect(await on.storedSha256(items[0]?.json['uploadId'])).toBe(file.sha256);
  expect(await copies()).toEqual(before);
});

test("the worker fetches stored binary data from n8n's signed address", async () => {
  await storeIn(join(on.folder, 'n8n'), 'filesystem');
  const n8n = await serveSignedBinaries();
  const { items, error, run } = await on.run(
    { source: 'binary' },
    {
      items: [item],
      restApiUrl: n8n.restApiUrl,
    },
  );
  expect(error).toBeUndefined();
  expect(await on.storedSha256(items[0]?.json['uploadId'])).toBe(file.sha256);
  expect(n8n.served()).toBe(1);
  expect(storedText(run)).not.toMatch(/token=/);
});

test.each(['memory', 'signed address'] as const)(
  'another file of the same name and size under the same ingest key is refused (%s)',
  async (way) => {
    await storeIn(join(on.folder, 'n8n'), way === 'memory' ? 'default' : 'filesystem');
    const n8n = await serveSignedBinaries();
    const start = () =>
      on.run(
        { source: 'binary', ingestKey: `order of ${way}` },
        {
          items: [item],
          restApiUrl: n8n.restApiUrl,
        },
      );
    const first = await start();
    expect(first.items[0]?.json).toMatchObject({ status: 'COMPLETED', joined: false });
    expect((await start()).items[0]?.json).toMatchObject({ joined: true });
    const bytes = await readFile(file.path);
    bytes.writeUInt8((bytes.readUInt8(0) + 1) % 256, 0);
    item = await itemOf(bytes);
    const { error } = await start();
    expect(error).toMatchObject({ message: expect.stringMatching(/has changed since .* SHA-256/) });
  },
);
