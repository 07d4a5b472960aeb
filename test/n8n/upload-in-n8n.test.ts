import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { INodeParameters } from 'n8n-workflow';
import { serveFile } from '../support/range-server';
import { openN8nUploadSetting } from './support/n8n-upload-setting';
import type { N8nUploadSetting } from './support/n8n-upload-setting';
import { storedText } from './support/run-workflow';

let on: N8nUploadSetting;
beforeAll(async () => {
  on = await openN8nUploadSetting();
  process.env['MEDIA_SERVICE_SOURCE_HOSTS'] = '127.0.0.1';
  process.env['MEDIA_SERVICE_SPOOL_DIR'] = join(on.folder.path, 'spool');
}, 60_000);
afterAll(async () => {
  delete process.env['MEDIA_SERVICE_SOURCE_HOSTS'];
  delete process.env['MEDIA_SERVICE_SPOOL_DIR'];
  await on.close();
});
afterEach(() => {
  on.simulator.clearFaults();
  on.simulator.release();
});

const upload = (parameters: INodeParameters): INodeParameters => ({ operation: 'upload', ...parameters });
const spooled = async (): Promise<string[]> => readdir(join(on.folder.path, 'spool')).catch(() => []);

describe('Upload > Upload without a Temporal credential', () => {
  test.each(['filesystem', 'default'] as const)(
    'sends binary data of mode %s byte for byte and leaves no copy behind',
    async (mode) => {
      const file = await on.writeFile(`binary-${mode}.bin`, 11);
      const binary = await on.storeBinary(file, mode, { fileName: 'from n8n.mp4' });
      const { items, error } = await on.run(
        upload({ source: 'binary', options: { partSizeMb: 5, concurrency: 2 } }),
        { items: [{ json: {}, binary: { data: binary } }] },
      );
      expect(error).toBeUndefined();
      expect(items[0]?.json).toMatchObject({
        status: 'COMPLETED',
        fileName: 'from n8n.mp4',
        fileType: 'MP4',
        fileTypeFrom: 'name',
        bytes: 11 * 1024 * 1024,
        retries: 0,
      });
      expect(items[0]?.pairedItem).toEqual({ item: 0 });
      expect(await on.storedSha256()).toBe(file.sha256);
      expect(await spooled()).toEqual([]);
    },
    60_000,
  );

  test('sends a file behind a URL, and n8n stores no signature of it', async () => {
    const file = await on.writeFile('remote.mp4', 7);
    const server = await serveFile(file.path);
    try {
      const { items, error, run } = await on.run(upload({ source: 'url', url: '={{ $json.address }}' }), {
        items: [{ json: {} }],
      });
      expect(error?.message).toMatch(/"url" is empty/);
      expect(items).toEqual([]);
      expect(storedText(run)).not.toContain('X-Amz-Signature');
      const sent = await on.run(upload({ source: 'url', url: server.url }));
      expect(sent.error).toBeUndefined();
      expect(sent.items[0]?.json).toMatchObject({ status: 'COMPLETED', fileName: 'remote.mp4' });
      expect(await on.storedSha256()).toBe(file.sha256);
      expect(JSON.stringify(sent.items)).not.toContain('canary');
    } finally {
      await server.close();
    }
  }, 60_000);
});
