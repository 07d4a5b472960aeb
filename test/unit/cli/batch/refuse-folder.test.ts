import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { refuseFolder } from '../../../../cli/batch/refuse-folder';
import { createTempDir, type TempDir } from '../../../support/temp-dir';

let temp: TempDir;
beforeAll(async () => {
  temp = await createTempDir('refuse-folder');
  await mkdir(join(temp.path, 'clips'));
  await writeFile(join(temp.path, 'clips.csv'), 'source\n');
});
afterAll(() => temp.remove());

test('a folder instead of a manifest is refused, with the command that makes one', async () => {
  await expect(refuseFolder('clips', temp.path)).rejects.toMatchObject({
    message: 'clips is a folder, not a manifest.',
    facts: { hint: expect.stringContaining('batch plan') },
  });
});

test.each(['clips.csv', 'none.csv', 's3://clips/a.csv', 'https://cdn.example/clips.csv'])(
  '%s is left to its reader',
  async (text) => {
    await expect(refuseFolder(text, temp.path)).resolves.toBeUndefined();
  },
);
