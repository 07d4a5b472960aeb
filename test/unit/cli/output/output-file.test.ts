import { execFile } from 'node:child_process';
import { lstat, mkdir, readdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { writeOutputFile } from '../../../../cli/output/output-file';
import { useTempDir } from '../../../support/use-temp-dir';

const dir = useTempDir('output-file', 'test');
let cwd: string;
beforeEach(() => void (cwd = dir.path));

const write = (from: AsyncIterable<string>): ReturnType<typeof writeOutputFile> =>
  writeOutputFile({ cwd, path: 'out.csv' }, from);
const textOf = (name: string): Promise<string> => readFile(join(cwd, name), 'utf8');
const makePipe = (path: string): Promise<unknown> => promisify(execFile)('mkfifo', [path]);

async function linkToPipe(path: string): Promise<void> {
  await makePipe(`${path}.pipe`);
  await symlink(`${path}.pipe`, path);
}

async function* pieces(...texts: string[]): AsyncGenerator<string> {
  yield* texts;
}

describe('a whole file', () => {
  test('holds all pieces, and its size is reported', async () => {
    await expect(write(pieces('a,b\n', 'ü\n'))).resolves.toEqual({
      path: join(cwd, 'out.csv'),
      bytes: 7,
    });
    await expect(textOf('out.csv')).resolves.toBe('a,b\nü\n');
    await expect(readdir(cwd)).resolves.toEqual(['out.csv']);
  });

  test.each([
    ['nothing', false],
    ['a file that all may read', true],
  ])('with addresses is readable only by its owner, when it replaces %s', async (_what, replace) => {
    if (replace) await writeFile(join(cwd, 'out.csv'), 'old', { mode: 0o644 });
    await writeOutputFile({ cwd, path: 'out.csv', ownerOnly: true }, pieces('new'));
    expect((await lstat(join(cwd, 'out.csv'))).mode & 0o777).toBe(0o600);
  });

  test('behind a link is replaced at the target, and the link stays', async () => {
    await mkdir(join(cwd, 'folder'));
    await writeFile(join(cwd, 'folder', 'real.csv'), 'old');
    await symlink(join('folder', 'real.csv'), join(cwd, 'out.csv'));
    await expect(write(pieces('new'))).resolves.toMatchObject({ path: join(cwd, 'out.csv') });
    await expect(readlink(join(cwd, 'out.csv'))).resolves.toBe(join('folder', 'real.csv'));
    await expect(textOf('folder/real.csv')).resolves.toBe('new');
    await expect(readdir(join(cwd, 'folder'))).resolves.toEqual(['real.csv']);
  });

  test.each<[what: string, make: (path: string) => Promise<unknown>]>([
    ['a folder', (path) => mkdir(path)],
    ['a pipe', makePipe],
    ['a link to a pipe', linkToPipe],
  ])('does not replace %s, and asks for no pieces', async (_what, make) => {
    const path = join(cwd, 'out.csv');
    await make(path);
    const [facts, names] = [await lstat(path), await readdir(cwd)];
    const asked = pieces('new');
    await expect(write(asked)).rejects.toMatchObject({
      code: 'Validation',
      message: `${path} is not a regular file, so it can't be replaced.`,
    });
    expect(await asked.next()).toMatchObject({ value: 'new' });
    await expect(lstat(path)).resolves.toMatchObject({ ino: facts.ino, mode: facts.mode });
    await expect(readdir(cwd)).resolves.toEqual(names);
  });

  test('can be written by two at once without mixing them', async () => {
    async function* mixing(own: string): AsyncGenerator<string> {
      yield own;
      yield* await Promise.resolve([own]);
    }
    await Promise.all(['a', 'b'].map((own) => write(mixing(own))));
    await expect(textOf('out.csv')).resolves.toMatch(/^(aa|bb)$/);
    await expect(readdir(cwd)).resolves.toEqual(['out.csv']);
  });

  test('is refused by name if its folder does not exist', async () => {
    await expect(writeOutputFile({ cwd, path: 'none/out.csv' }, pieces('x'))).rejects.toThrow(
      /none.out\.csv can't be written: its folder does not exist/,
    );
  });
});
