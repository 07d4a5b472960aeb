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
  ['without a byte, which its reader reports', ''],
])('a manifest %s can be read wherever it is', async (_label, text) => {
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

test('a missing manifest is named as a manifest', async () => {
  const path = join(temp.path, 'none.csv');
  const reading = {
    settings: readSettings(),
    cwd: temp.path,
    source: { kind: 'path', path },
    signal: new AbortController().signal,
  } as const;
  await expect(withManifestBytes(reading, () => Promise.resolve())).rejects.toMatchObject({
    code: 'SourceMissing',
    message: `the manifest ${path} does not exist`,
    facts: { field: 'manifest', hint: 'Check the name, and that the machine that reads it sees the file.' },
  });
});
