import { writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { checkFolders } from '../../../../temporal/worker/check-folders';
import { useTempDir } from '../../../support/use-temp-dir';

const dir = useTempDir('worker-folders');
let folder: string;
beforeAll(async () => {
  folder = dir.path;
  await writeFile(join(folder, 'file'), '');
});

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
    for (const [config, field, what] of [
      [{ roots: [folder, path] }, 'fileRoots', 'A folder that files may be read from'],
      [{ roots: [], spoolDir: path }, 'spoolDir', 'The spool folder'],
      [
        { roots: [], outputRoots: [path] },
        'outputRoots',
        'A folder that batches and reports may be written to',
      ],
    ] as const)
      await expect(checkFolders(config)).rejects.toMatchObject({
        code: 'Configuration',
        message: `${what} can't be used: ${path} ${problem}.`,
        facts: { field, hint: expect.stringContaining(`change {${field}}`) },
      });
  });

  it('names missing secrets', async () => {
    await expect(checkFolders({ roots: [], secrets: join(folder, 'none') })).rejects.toMatchObject({
      code: 'Configuration',
      message: expect.stringContaining(
        `The file or folder of secrets can't be used: ${join(folder, 'none')} does not exist`,
      ),
      facts: { field: 'secrets' },
    });
  });
});
