import { writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { checkFolders } from '../../../../temporal/worker/check-folders';
import { useTempDir } from '../../../support/use-temp-dir';

const dir = useTempDir('worker-folders');
beforeAll(() => writeFile(join(dir.path, 'file'), ''));

describe('checkFolders', () => {
  it('accepts folders that exist', async () => {
    const { path } = dir;
    for (const secrets of [path, join(path, 'file')]) {
      const config = { roots: [path], spoolDir: path, outputRoots: [path], secrets };
      await expect(checkFolders(config)).resolves.toBeUndefined();
    }
  });

  it.each([
    ['is missing', () => join(dir.path, 'none'), "does not exist or can't be seen by this user"],
    ['is a file', () => join(dir.path, 'file'), 'is not a folder'],
    ['is relative', () => relative(process.cwd(), dir.path), 'is not an absolute path'],
  ])('names the setting of a folder that %s', async (_label, pathOf, problem) => {
    const path = pathOf();
    for (const [config, field, what] of [
      [{ roots: [dir.path, path] }, 'fileRoots', 'A folder that files may be read from'],
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
    const secrets = join(dir.path, 'none');
    const message = `The file or folder of secrets can't be used: ${secrets} does not exist`;
    await expect(checkFolders({ roots: [], secrets })).rejects.toMatchObject({
      code: 'Configuration',
      message: expect.stringContaining(message),
      facts: { field: 'secrets' },
    });
  });
});
