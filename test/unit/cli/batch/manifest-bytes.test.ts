import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { namedManifest } from '../../../../cli/batch/manifest-argument';
import { withSourceAccess } from '../../../../cli/context';
import { readSettings } from '../../../../settings/settings';
import { useTempDir } from '../../../support/use-temp-dir';

const temp = useTempDir('manifest-bytes');

function read(cwd: string, path: string): Promise<string> {
  return withSourceAccess(readSettings(), cwd, async (access) => {
    const { bytes } = await namedManifest({ cwd }, { text: path, flags: {} });
    const chunks: Uint8Array[] = [];
    for await (const chunk of bytes(access, new AbortController().signal)) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  });
}

test.each([
  ['with rows', 'source\na.mp4\n'],
  ['without a byte, which its reader reports', ''],
])('a manifest %s can be read wherever it is', async (_label, text) => {
  const path = join(temp.path, 'clips.csv');
  await writeFile(path, text);
  expect(await read(join(temp.path, 'elsewhere'), path)).toBe(text);
});

test('a missing manifest is named as a manifest', async () => {
  const path = join(temp.path, 'none.csv');
  await expect(read(temp.path, path)).rejects.toMatchObject({
    code: 'SourceMissing',
    message: `the manifest ${path} does not exist`,
    facts: { field: 'manifest', hint: 'Check the name, and that the machine that reads it sees the file.' },
  });
});
