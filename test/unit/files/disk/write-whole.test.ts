import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { mkdir, open, readdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { folderAt, openFolder, openMadeFolder } from '../../../../files/disk/open-folder';
import { openedPath } from '../../../../files/disk/opened-path';
import { makeFolder } from '../../../../files/disk/sync-folder';
import { writeWhole } from '../../../../files/disk/write-whole';
import { tempFolder } from '../../../support/after-test';
import { watchDisk } from '../../../support/watch-disk';

let dir: string;
beforeEach(async () => {
  dir = await tempFolder('disk');
});
afterEach(async () => {
  jest.restoreAllMocks();
});

const WRITING = { name: 'state.json', partial: 'state.partial', content: [Buffer.from('new')] };

describe('a file that is written as a whole', () => {
  test('is synced to disk before it gets its name, and its name is synced before the write counts', async () => {
    const seen = await watchDisk(dir);
    await writeWhole({ ...WRITING, folder: folderAt(dir) });
    expect(seen).toEqual(['sync state.partial', 'rename to state.json', 'sync .']);
    expect(await readdir(dir)).toEqual(['state.json']);
    expect((await stat(path.join(dir, 'state.json'))).mode & 0o777).toBe(0o600);
  });

  test('does the same in an open folder, and in a folder that it creates', async () => {
    const seen = await watchDisk(dir);
    const folder = await openMadeFolder(dir, ['batch', 'pages']);
    if (folder === undefined) throw new Error('no folder');
    expect(seen).toEqual(['sync .', 'sync batch']);
    seen.length = 0;
    await writeWhole({ ...WRITING, folder }).finally(() => folder.close());
    expect(seen).toEqual(['sync batch/pages/state.partial', 'rename to state.json', 'sync batch/pages']);
    expect(await readFile(path.join(dir, 'batch/pages/state.json'), 'utf8')).toBe('new');
  });

  test('leaves the old file and nothing else if it fails, and passes an error of the content on', async () => {
    await writeFile(path.join(dir, 'state.json'), 'old');
    const broken = new Error('the content broke');
    async function* content(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half');
      throw broken;
    }
    const folder = folderAt(dir);
    const failed = (): Error => new Error('the disk broke');
    await expect(writeWhole({ ...WRITING, folder, failed, content: content() })).rejects.toBe(broken);
    const put = (): Promise<void> => Promise.reject(broken);
    await expect(writeWhole({ ...WRITING, folder, failed, put })).rejects.toThrow('the disk broke');
    expect(await readdir(dir)).toEqual(['state.json']);
    expect(await readFile(path.join(dir, 'state.json'), 'utf8')).toBe('old');
  });
});

describe("a folder that can't be synced", () => {
  const refuse = async (code: string): Promise<void> => {
    const own = await open(dir, 'r');
    const prototype = Object.getPrototypeOf(own) as typeof own;
    await own.close();
    jest
      .spyOn(prototype, 'sync')
      .mockRejectedValue(Object.assign(new Error(code), { code, syscall: 'fsync' }));
  };

  const syncOpened = async (): Promise<void> => {
    const opened = await openFolder(dir);
    if (opened === undefined) throw new Error('no folder');
    await opened.sync().finally(() => opened.close());
  };

  test.each(['EINVAL', 'EPERM', 'ENOTSUP'])('is as good as synced if its system says %s', async (code) => {
    await refuse(code);
    await makeFolder(path.join(dir, 'a'));
    await syncOpened();
    expect(await readdir(dir)).toEqual(['a']);
  });

  test('fails if its disk does', async () => {
    await refuse('EIO');
    await expect(makeFolder(path.join(dir, 'a'))).rejects.toMatchObject({ code: 'EIO' });
    await expect(syncOpened()).rejects.toMatchObject({ code: 'EIO' });
  });
});

test('a new folder is synced to disk with all missing folders above it', async () => {
  const seen = await watchDisk(dir);
  await makeFolder(path.join(dir, 'a', 'b', 'c'));
  expect(seen.sort()).toEqual(['sync .', 'sync a', 'sync a/b']);
  expect((await stat(path.join(dir, 'a/b/c'))).mode & 0o777).toBe(0o700);
  seen.length = 0;
  await makeFolder(path.join(dir, 'a', 'b', 'c'));
  expect(seen).toEqual([]);
});

describe('an open folder', () => {
  test('remains the folder that was opened when a link replaces it', async () => {
    const [inside, outside] = [path.join(dir, 'inside'), path.join(dir, 'outside')];
    await mkdir(inside);
    await mkdir(outside);
    const folder = await openFolder(inside);
    await rename(inside, `${inside}.away`);
    await symlink(outside, inside);
    await writeFile(folder?.at('file') ?? '', 'text');
    await folder?.close();
    expect([await readdir(`${inside}.away`), await readdir(outside)]).toEqual([['file'], []]);
  });

  test.each([
    ['it is a link', 'link'],
    ['a folder on its way is a link', 'linked/below'],
  ])("can't be opened if %s", async (_what, name) => {
    await mkdir(path.join(dir, 'else', 'below'), { recursive: true });
    await symlink(path.join(dir, 'else'), path.join(dir, 'linked'));
    await symlink(path.join(dir, 'else'), path.join(dir, 'link'));
    const opened = await openFolder(path.join(dir, name)).catch((error: unknown) => error);
    expect(opened ?? {}).not.toHaveProperty('at');
    const made = await openMadeFolder(dir, name.split('/').concat('new')).catch((error: unknown) => error);
    expect(made ?? {}).not.toHaveProperty('at');
    expect(await readdir(path.join(dir, 'else'))).toEqual(['below']);
  });
});

describe('an opened folder on a system that does not show open files', () => {
  test('is found at its path only while that path leads to it', async () => {
    const file = path.join(dir, 'film.mp4');
    await writeFile(file, 'film');
    const handle = await open(file, 'r');
    try {
      expect(await openedPath(handle, file, '/nowhere')).toBe(file);
      await rename(file, `${file}.away`);
      expect(await openedPath(handle, file, '/nowhere')).toBeUndefined();
      await writeFile(file, 'other');
      expect(await openedPath(handle, file, '/nowhere')).toBeUndefined();
    } finally {
      await handle.close();
    }
  });
});
