import { expect, test } from '@jest/globals';
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT, npm } from '../support/pack';
import { createTempDir } from '../support/temp-dir';

test('npm pack without dist fails and makes no package, and with dist packs no earlier package', async () => {
  const dir = await createTempDir('pack');
  try {
    for (const name of ['package.json', '.npmrc']) await copyFile(join(ROOT, name), join(dir.path, name));
    await expect(npm(['pack'], dir.path)).rejects.toThrow(/ENOENT[^]*dist/);
    expect((await readdir(dir.path)).sort()).toEqual(['.npmrc', 'package.json']);

    await mkdir(join(dir.path, 'dist'));
    await npm(['pack'], dir.path);
    const { stdout } = await npm(['pack', '--json'], dir.path);
    const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
    expect(files.map(({ path }) => path)).toEqual(['package.json']);
  } finally {
    await dir.remove();
  }
});
