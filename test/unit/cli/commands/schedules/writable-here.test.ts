import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { checkFolders } from '../../../../../cli/commands/schedules/create';
import { readSettings } from '../../../../../settings/settings';
import { useTempDir } from '../../../../support/use-temp-dir';

const dir = useTempDir('writable-here');
let folder = '';
beforeAll(() => void (folder = dir.path));

const settings = (roots?: string) =>
  readSettings(roots === undefined ? {} : { MEDIA_SERVICE_OUTPUT_ROOTS: roots });

test('without a setting here, paths below the current folder count as writable, others as unchecked', async () => {
  const unchecked = await checkFolders(
    settings(),
    { targets: ['file:reports', `file:${folder}/below`, 'file:/srv/reports', 's3://bucket'] },
    folder,
  );
  expect(unchecked).toEqual([
    expect.stringMatching(/write to \/srv\/reports\. MEDIA_SERVICE_OUTPUT_ROOTS of the worker/),
  ]);
});

test.each(['file.txt', 'file.txt/below'])(
  'without a setting here, %s is refused if file.txt is a file: no worker can make a folder of it',
  async (name) => {
    await writeFile(join(folder, 'file.txt'), '');
    await expect(checkFolders(settings(), { targets: [`file:${name}`] }, folder)).rejects.toMatchObject({
      code: 'OutputFailed',
      message: `${join(folder, name)} can't be written: a part of its path is not a folder`,
    });
  },
);

test('a target outside the folders that this machine allows is refused', async () => {
  await expect(
    checkFolders(settings(folder), { targets: ['file:/srv/reports'] }, folder),
  ).rejects.toMatchObject({
    code: 'OutputFailed',
    facts: { remedy: expect.objectContaining({ kind: 'allow-output' }) },
  });
});
