import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT, npm } from '../support/pack';
import { tempFolder } from '../support/after-test';

test('npm pack without dist fails and makes no package, and with dist packs no earlier package', async () => {
  const dir = await tempFolder('pack');
  for (const name of ['package.json', '.npmrc']) await copyFile(join(ROOT, name), join(dir, name));
  await expect(npm(['pack'], dir)).rejects.toThrow(/ENOENT[^]*dist/);
  expect((await readdir(dir)).sort()).toEqual(['.npmrc', 'package.json']);

  await mkdir(join(dir, 'dist'));
  await npm(['pack'], dir);
  const { stdout } = await npm(['pack', '--json'], dir);
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
  expect(files.map(({ path }) => path)).toEqual(['package.json']);
});
