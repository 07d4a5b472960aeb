import { expect, it } from '@jest/globals';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { commandEnv, runCommand, type CommandEnd } from '../support/command';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();
function upload(...words: string[]): Promise<CommandEnd> {
  return runCommand(['upload', ...words], { cwd: on.fixture.folder, env: commandEnv(on.fixture) });
}

it('a folder is refused, with what to do', async () => {
  await mkdir(join(on.fixture.folder, 'clips'));
  const { exit, stderr } = await upload('clips');
  expect(exit).toBe(5);
  expect(stderr).toContain('`media-service batches plan` makes a manifest of its files');
});

it('if one of several files differs from its earlier upload, only that file is refused', async () => {
  await on.fixture.writeFile('a.mp4', 0.2);
  await on.fixture.writeFile('b.mp4', 0.2);
  await upload('a.mp4', '--wait', '--id', 'files-a');
  const { exit, stderr } = await upload('b.mp4', '--id', 'files-a');
  expect(exit).toBe(2);
  expect(stderr).toMatch(/^Error: The upload upload\/\S+\/files-a already exists with a different source\./);
  expect(stderr).toContain('use --again, or use another --id.');
});
