import fs, { open, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder, syncFolder, writeWhole } from '../../../../files/disk/write-whole';
import { tempFolder } from '../../../support/after-test';
import { failFiles } from '../../../support/fail-files';

let dir: string;
beforeEach(async () => {
  dir = await tempFolder('disk');
});
afterEach(async () => {
  jest.restoreAllMocks();
});

/** The methods of all open files. */
async function fileMethods(): Promise<FileHandle> {
  const own = await open(dir, 'r');
  await own.close();
  return Object.getPrototypeOf(own) as FileHandle;
}

/** What reaches the disk, in order: each fsync with the path of its file in the folder, and each rename. */
async function watchDisk(): Promise<string[]> {
  const seen: string[] = [];
  const shown = (file: string): string => path.relative(dir, file).replace(/^$/, '.');
  const methods = await fileMethods();
  const { sync } = methods;
  jest.spyOn(methods, 'sync').mockImplementation(async function (this: FileHandle) {
    seen.push(`sync ${shown(await readlink(`/proc/self/fd/${this.fd}`))}`);
    await sync.call(this);
  });
  const renamed = fs.rename;
  jest.spyOn(fs, 'rename').mockImplementation(async (from, to) => {
    seen.push(`rename to ${path.basename(String(to))}`);
    await renamed(from, to);
  });
  return seen;
}

const WRITING = { partial: 'state.partial', content: [Buffer.from('new')] };

const stateFile = (): string => path.join(dir, 'state.json');

describe('a file that is written as a whole', () => {
  test('is synced to disk before it gets its name, and its name is synced before the write counts', async () => {
    const seen = await watchDisk();
    await writeWhole({ ...WRITING, file: stateFile() });
    expect(seen).toEqual(['sync state.partial', 'rename to state.json', 'sync .']);
    expect(await readdir(dir)).toEqual(['state.json']);
    expect((await stat(path.join(dir, 'state.json'))).mode & 0o777).toBe(0o600);
  });

  test('is whole although the system takes a piece in parts, as a disk does that is nearly full', async () => {
    const methods = await fileMethods();
    const { write: take } = methods;
    const takeFirst = async function (this: FileHandle) {
      return take.call(this, 'n');
    };
    jest.spyOn(methods, 'write').mockImplementationOnce(takeFirst);
    await writeWhole({ ...WRITING, file: stateFile() });
    expect(await readFile(stateFile(), 'utf8')).toBe('new');
  });

  test('leaves the old file and nothing else if it fails, and passes an error of the content on', async () => {
    await writeFile(path.join(dir, 'state.json'), 'old');
    const broken = new Error('the content broke');
    async function* content(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half');
      throw broken;
    }
    const failed = (): Error => new Error('the disk broke');
    await expect(writeWhole({ ...WRITING, file: stateFile(), failed, content: content() })).rejects.toBe(
      broken,
    );
    jest.spyOn(fs, 'rename').mockRejectedValueOnce(broken);
    await expect(writeWhole({ ...WRITING, file: stateFile(), failed })).rejects.toThrow('the disk broke');
    expect(await readdir(dir)).toEqual(['state.json']);
    expect(await readFile(path.join(dir, 'state.json'), 'utf8')).toBe('old');
  });
});

describe('a file that is written only if its name is free', () => {
  const write = (): Promise<void> => writeWhole({ ...WRITING, file: stateFile(), onlyNew: true });

  test('gets the free name, also on a share without hard links, and leaves nothing else', async () => {
    await write();
    await rm(stateFile());
    const refusal = Object.assign(new Error('EPERM'), { code: 'EPERM', syscall: 'link' });
    jest.spyOn(fs, 'link').mockRejectedValueOnce(refusal);
    await write();
    expect([await readdir(dir), await readFile(stateFile(), 'utf8')]).toEqual([['state.json'], 'new']);
  });

  test.each(['EEXIST', 'EPERM'])(
    'changes nothing if there is a file, and link fails with %s',
    async (code) => {
      await writeFile(stateFile(), 'old');
      jest.spyOn(fs, 'link').mockRejectedValueOnce(Object.assign(new Error(code), { code, syscall: 'link' }));
      await write();
      expect([await readdir(dir), await readFile(stateFile(), 'utf8')]).toEqual([['state.json'], 'old']);
    },
  );
});

describe("a folder that can't be synced", () => {
  test.each(['EINVAL', 'EPERM', 'ENOTSUP'])('is as good as synced if its system says %s', async (code) => {
    await failFiles('sync', code, 'each');
    await makeFolder(path.join(dir, 'a'));
    await syncFolder(dir);
    expect(await readdir(dir)).toEqual(['a']);
  });

  test('fails if its disk does', async () => {
    await failFiles('sync', 'EIO', 'each');
    await expect(makeFolder(path.join(dir, 'a'))).rejects.toMatchObject({ code: 'EIO' });
    await expect(syncFolder(dir)).rejects.toMatchObject({ code: 'EIO' });
  });
});

test('a new folder is synced to disk with all missing folders above it', async () => {
  const seen = await watchDisk();
  await makeFolder(path.join(dir, 'a', 'b', 'c'));
  expect(seen.sort()).toEqual(['sync .', 'sync a', 'sync a/b']);
  expect((await stat(path.join(dir, 'a/b/c'))).mode & 0o777).toBe(0o700);
  seen.length = 0;
  await makeFolder(path.join(dir, 'a', 'b', 'c'));
  expect(seen).toEqual([]);
});
