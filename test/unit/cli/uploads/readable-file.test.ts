import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { readableFile } from '../../../../cli/uploads/upload-plan';
import { withoutRoot } from '../../../support/harsh-disk';
import { useTempDir } from '../../../support/use-temp-dir';

const temp = useTempDir('path-size');
beforeAll(async () => {
  await chmod(temp.path, 0o755);
  await mkdir(join(temp.path, 'folder'));
  await writeFile(join(temp.path, 'clip.mp4'), 'film');
  await writeFile(join(temp.path, 'closed.mp4'), 'film', { mode: 0o600 });
});

test('a file has its size', async () => {
  expect(await readableFile(join(temp.path, 'clip.mp4'), '')).toMatchObject({ size: 4n });
});

test.each([
  ['gone.mp4', 'SourceMissing', 'does not exist'],
  ['folder', 'SourceMissing', 'is a folder'],
  ['closed.mp4', 'SourceNotAllowed', 'may not be read by this process'],
])('%s is %s: it %s', async (name, code, why) => {
  const path = join(temp.path, name);
  const size = withoutRoot(() => readableFile(path, ''));
  await expect(size).rejects.toMatchObject({ code, message: `${path} ${why}.` });
});
