import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withManifestBytes } from '../../../../cli/batch/with-manifest-bytes';
import { readSettings } from '../../../../settings/settings';
import { createTempDir, type TempDir } from '../../../support/temp-dir';

let temp: TempDir;
beforeAll(async () => {
  temp = await createTempDir('manifest-bytes');
});
afterAll(() => temp.remove());

test.each([
  ['with rows', 'source\na.mp4\n'],
  ['without a byte, which its reader tells of', ''],
])('a manifest %s is read wherever it lies', async (_label, text) => {
  const path = join(temp.path, 'clips.csv');
  await writeFile(path, text);
  const read = await withManifestBytes(
    {
      settings: readSettings(),
      cwd: join(temp.path, 'elsewhere'),
      source: { kind: 'path', path },
      signal: new AbortController().signal,
    },
    async (bytes) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of bytes) chunks.push(chunk);
      return Buffer.concat(chunks).toString();
    },
  );
  expect(read).toBe(text);
});
