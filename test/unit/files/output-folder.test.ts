import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import fs, { mkdir, readdir, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openOutputFolder } from '../../../files/output-folder';
import { tempFolder } from '../../support/after-test';

let root: string;
beforeEach(async () => {
  root = await tempFolder('output');
});
afterEach(async () => {
  jest.restoreAllMocks();
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

test('a share that leaves after its check is not replaced by a new folder', async () => {
  const [share, away] = [join(root, 'out'), join(root, 'away')];
  await mkdir(share);
  await opened(join(share, 'first'));
  const { open, realpath, stat: look } = fs;
  // It leaves before the folder is looked for, is back for a moment, and leaves again before the folder is created.
  let looks = 0;
  jest.spyOn(fs, 'realpath').mockImplementation(async (...given: Parameters<typeof realpath>) => {
    if (given[0] === join(share, 'second')) looks += 1;
    if (looks === 3) await rename(share, away).catch(() => undefined);
    return realpath(...given);
  });
  jest.spyOn(fs, 'stat').mockImplementation(async (...given: Parameters<typeof look>) => {
    if (looks >= 3) await rename(away, share).catch(() => undefined);
    return look(...given);
  });
  jest.spyOn(fs, 'open').mockImplementation(async (...given) => {
    if (looks >= 3) await rename(share, away).catch(() => undefined);
    return open(...given);
  });
  await expect(opened(join(share, 'second'))).rejects.toMatchObject({
    code: 'OutputFailed',
    message: expect.stringContaining(`the folder ${share} is not there`),
  });
  jest.restoreAllMocks();
  await rename(share, away).catch(() => undefined);
  expect(await readdir(root)).toEqual(['away']);
});

test('an S3 prefix is only checked at the first write', async () => {
  await expect(
    openOutputFolder({ outputRoots: [] }, { kind: 's3', bucket: 'b', key: 'k' }),
  ).resolves.toBeUndefined();
});
