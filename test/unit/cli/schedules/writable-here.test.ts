import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { checkFolders } from '../../../../cli/schedules/writable-here';
import { readSettings } from '../../../../settings/settings';
import { useTempDir } from '../../../support/use-temp-dir';

const dir = useTempDir('writable-here');
let folder = '';
beforeAll(() => void (folder = dir.path));

const settings = (roots?: string) =>
  readSettings(roots === undefined ? {} : { MEDIA_SERVICE_OUTPUT_ROOTS: roots });

test('without a setting here, paths below the current folder count as writable, others as unchecked', async () => {
  const unchecked = await checkFolders(
    settings(),
    {
      targets: ['file:reports', `file:${folder}/below`, 'file:/srv/reports', 's3://bucket'],
      state: '/var/s.json',
    },
    folder,
  );
  expect(unchecked).toEqual([
    expect.stringMatching(/write to \/srv\/reports\. MEDIA_SERVICE_OUTPUT_ROOTS of the worker/),
    expect.stringContaining('write to /var/s.json.'),
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

test.each([undefined, '.'])(
  'a state that is a folder is refused, with the output roots %s',
  async (roots) => {
    const at = settings(roots === undefined ? undefined : folder);
    await expect(checkFolders(at, { targets: [], state: '.' }, folder)).rejects.toMatchObject({
      code: 'Validation',
      message: `state "${folder}" is a folder`,
      facts: { field: 'state', hint: `Name a file, such as ${join(folder, 'state.json')}.` },
    });
  },
);

test.each([
  ['a target', { targets: ['file:/srv/reports'] }],
  ['the state', { targets: [], state: '/srv/reports/morning.state.json' }],
])('%s outside the folders that this machine allows is refused', async (_what, request) => {
  await expect(checkFolders(settings(folder), request, folder)).rejects.toMatchObject({
    code: 'OutputFailed',
    facts: { remedy: expect.objectContaining({ kind: 'allow-output' }) },
  });
});
