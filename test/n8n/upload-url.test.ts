import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import type { OutgoingHttpHeaders } from 'node:http';
import { STREAMED_PART_BYTES } from '../../nodes/MediaService/upload/in-n8n/streamed-file';
import { MIB } from '../support/upload-fixture';
import { afterTest } from '../support/after-test';
import { listen } from '../support/listen';
import { useN8nUploadSetting } from './support/n8n-upload-setting';
import type { WrittenFile } from '../support/source-file';

// Files of servers that answer no Range. Those that do are in upload-in-n8n.test.ts.
const on = useN8nUploadSetting();

/** Answers every request with the whole file. */
async function serveWhole({ path }: WrittenFile, headers: OutgoingHttpHeaders): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(200, headers);
    createReadStream(path).pipe(response);
  });
  const { url, close } = await listen(server);
  afterTest(close);
  return `${url}/film.mp4`;
}

const upload = (url: string): ReturnType<typeof on.run> => on.run({ source: 'url', url });

describe('a URL whose server answers no Range', () => {
  test.each([
    ['is read once and sent in parts, if it has a size', 37, { 'content-length': 37 * MIB }],
    ['is uploaded without a size as long as it fits into one part', 6, {}],
  ])('%s', async (_what, mib, headers) => {
    const file = await on.writeFile(`${mib}.mp4`, mib);
    const { items, error } = await upload(await serveWhole(file, headers));
    expect(error).toBeUndefined();
    expect(items[0]?.json).toMatchObject({ status: 'COMPLETED', fileName: 'film.mp4', bytes: mib * MIB });
    expect(await on.storedSha256()).toBe(file.sha256);
  });

  test('has its name and type from its headers', async () => {
    const file = await on.writeFile('report.bin', 1);
    const headers = { 'content-disposition': 'attachment; filename="Müller.mov"', 'content-length': MIB };
    const { items } = await upload(await serveWhole(file, headers));
    expect(items[0]?.json).toMatchObject({ fileName: 'Müller.mov', fileType: 'MOV' });
  });

  test('is refused before a session starts if it is larger and has no size', async () => {
    const { starts } = on.simulator.seen();
    const file = await on.writeFile('endless.mp4', STREAMED_PART_BYTES / MIB + 1);
    const { error } = await upload(await serveWhole(file, {}));
    expect(error).toMatchObject({
      message: expect.stringContaining('has more than 20971520 bytes, and its server reports no size'),
      description: expect.stringContaining('HTTP Request node'),
    });
    expect(on.simulator.seen().starts).toBe(starts);
  });
});
