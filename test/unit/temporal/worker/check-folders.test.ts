import { mkdir, mkdtemp, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createS3 } from '../../../../files/s3/s3-client';
import { writeFileAt } from '../../../../files/files';
import { checkFolders } from '../../../../temporal/worker/check-folders';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'worker-folders-'));
  await writeFile(join(folder, 'file'), '');
});
afterAll(() => rm(folder, { recursive: true }));

describe('checkFolders', () => {
  it('accepts folders that exist', async () => {
    const config = { roots: [folder], spoolDir: folder, outputRoots: [folder] };
    for (const secrets of [folder, join(folder, 'file')]) {
      await expect(checkFolders({ ...config, secrets })).resolves.toBeUndefined();
    }
  });

  it.each([
    ['is missing', () => join(folder, 'none'), "does not exist or can't be seen by this user"],
    ['is a file', () => join(folder, 'file'), 'is not a folder'],
    ['is relative', () => relative(process.cwd(), folder), 'is not an absolute path'],
  ])('names the setting of a folder that %s', async (_label, pathOf, problem) => {
    const path = pathOf();
    await expect(checkFolders({ roots: [folder, path] })).rejects.toMatchObject({
      code: 'Configuration',
      message: `A folder that files may be read from can't be used: ${path} ${problem}.`,
      facts: { field: 'fileRoots', remedy: { kind: 'fix-worker-folder', setting: 'fileRoots' } },
    });
    await expect(checkFolders({ roots: [], spoolDir: path })).rejects.toMatchObject({
      code: 'Configuration',
      message: `The spool folder can't be used: ${path} ${problem}.`,
      facts: { field: 'spoolDir' },
    });
    await expect(checkFolders({ roots: [], outputRoots: [path] })).rejects.toMatchObject({
      code: 'Configuration',
      message: `A folder that batches and reports may be written to can't be used: ${path} ${problem}.`,
      facts: { field: 'outputRoots' },
    });
  });

  it('remembers the roots, so that nothing is written in place of one that goes away', async () => {
    const root = join(folder, 'out');
    await mkdir(root);
    const access = { outputRoots: [root], roots: [], s3: createS3() };
    await checkFolders({ roots: [], outputRoots: [root] });
    await rmdir(root);
    const plan = { kind: 'path', path: join(root, 'plan.json') } as const;
    await expect(writeFileAt(access, plan, 'the plan')).rejects.toMatchObject({
      code: 'OutputFailed',
      message: expect.stringContaining(`the folder ${root} is not there`),
    });
  });

  it('names missing secrets', async () => {
    await expect(checkFolders({ roots: [], secrets: join(folder, 'none') })).rejects.toMatchObject({
      code: 'Configuration',
      message: expect.stringContaining(`The secrets can't be used: ${join(folder, 'none')} does not exist`),
      facts: { field: 'secrets' },
    });
  });
});
