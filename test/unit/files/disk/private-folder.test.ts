import { beforeEach, describe, expect, test } from '@jest/globals';
import { chmod, mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { whyNotPrivate } from '../../../../files/disk/private-folder';
import { tempFolder } from '../../../support/after-test';

let dir: string;
let folder: string;
beforeEach(async () => {
  dir = await tempFolder('private');
  folder = path.join(dir, 'a', 'spool');
});

const uid = process.getuid?.() ?? 0;
const made = async (mode: number): Promise<void> => {
  await mkdir(folder, { recursive: true });
  await chmod(folder, mode);
};
const linked = async (): Promise<void> => {
  await mkdir(path.join(dir, 'a'));
  await mkdir(path.join(dir, 'else'), { mode: 0o700 });
  await symlink(path.join(dir, 'else'), folder);
};

describe('a private folder inside the shared temporary folder', () => {
  test('is created for this user only, and is accepted the next time', async () => {
    expect(await whyNotPrivate(folder, 'own')).toBeUndefined();
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect(await whyNotPrivate(folder, 'own')).toBeUndefined();
  });

  test.each<[string, () => Promise<void>, number, string]>([
    ['it is a link to a folder of this user', linked, uid, 'it is a link'],
    ['it belongs to another user', () => made(0o700), uid + 1, `it belongs to another user (${uid},`],
    ['its group may look into it', () => made(0o750), uid, 'it is open to other users (mode 750)'],
    ['everybody may write to it', () => made(0o777), uid, 'it is open to other users (mode 777)'],
  ])('is refused if %s, and nothing is put there', async (_what, make, user, reason) => {
    await make();
    expect(await whyNotPrivate(folder, 'own', user)).toContain(reason);
    expect(await readdir(folder)).toEqual([]);
  });
});

describe("a private folder inside one of n8n's folders", () => {
  test.each<[string, () => Promise<void>, number, string | undefined]>([
    ["that a share shows as another user's", () => made(0o700), uid + 1, undefined],
    ['that its group may write to', () => made(0o770), uid, undefined],
    ['that is a link to another disk', linked, uid, undefined],
    ['that everybody may write to', () => made(0o777), uid, 'every user may write to it (mode 777)'],
  ])('%s', async (_what, make, user, reason) => {
    await make();
    expect(await whyNotPrivate(folder, 'closed', user)).toEqual(reason);
  });
});

test('a file at the path of the folder is an error of the file system', async () => {
  await mkdir(path.dirname(folder));
  await writeFile(folder, '');
  await expect(whyNotPrivate(folder, 'own')).rejects.toMatchObject({ code: 'EEXIST' });
});
