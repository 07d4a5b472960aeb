import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { openOutputFolder } from '../../../files/output-path';
import { tempFolder } from '../../support/after-test';

let root: string;
beforeEach(async () => {
  root = await tempFolder('output');
});

const opened = (path: string): Promise<void> =>
  openOutputFolder({ outputRoots: [join(root, 'out')] }, { kind: 'path', path });

test('a folder inside the output roots is made', async () => {
  await mkdir(join(root, 'out'));
  const folder = join(root, 'out', 'batches', 'harbour');
  await opened(folder);
  expect((await stat(folder)).isDirectory()).toBe(true);
});

test.each([
  ['outside the output roots', 'elsewhere', 'outside the folders for output'],
  ['whose way is a file', 'out/file/harbour', 'file/harbour'],
])('a folder %s is refused as an output', async (_label, name, message) => {
  await mkdir(join(root, 'out'));
  await writeFile(join(root, 'out', 'file'), 'x');
  await expect(opened(join(root, name))).rejects.toMatchObject({
    code: 'OutputFailed',
    message: expect.stringContaining(message),
  });
});

test('an S3 prefix is only checked at the first write', async () => {
  await expect(
    openOutputFolder({ outputRoots: [] }, { kind: 's3', bucket: 'b', key: 'k' }),
  ).resolves.toBeUndefined();
});
