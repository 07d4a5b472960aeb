import { beforeEach, expect, it } from '@jest/globals';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commandEnv, linesOf, runCommand, type CommandEnd } from '../support/command';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();
const FILES = ['clips/a.mp4', 'clips/b.mp4', 'clips/night/c.mp4'];

beforeEach(async () => {
  const { fixture } = on;
  await mkdir(join(fixture.folder, 'clips', 'night'), { recursive: true });
  for (const name of FILES) await fixture.writeFile(name, 0.2);
  await writeFile(join(fixture.folder, 'clips', 'notes.txt'), 'text');
});

function upload(...words: string[]): Promise<CommandEnd> {
  return runCommand(['upload', ...words], { cwd: on.fixture.folder, env: commandEnv(on.fixture) });
}

it('upload --dry-run shows what it would upload, and starts nothing', async () => {
  const before = on.fixture.simulator.seen().starts;
  const shown = await upload('clips', '--recursive', '--dry-run');
  expect(shown).toMatchObject({
    exit: 0,
    stdout: FILES.map((file) => `${file}: MP4, 1.0 MB in 1 part\n`).join(''),
  });
  expect(shown.stderr).toContain('left out: 1 of a type the service does not take (notes.txt)');
  expect(shown.stderr).toContain('3 files, 3.1 MB in 3 parts. Nothing was started.\n');
  const [first] = linesOf(await upload('clips/a.mp4', '--dry-run', '--json'));
  expect(first).toEqual({
    file: 'clips/a.mp4',
    fileType: 'MP4',
    bytes: 1_048_576,
    parts: 1,
    ingestKey: expect.stringMatching(/^[0-9a-f]{32}$/),
  });
  expect(on.fixture.simulator.seen().starts).toBe(before);
});

it('upload takes a folder with --recursive', async () => {
  const ended = await upload('clips', '--recursive', '--again', '--wait', '--json');
  expect(ended.exit).toBe(0);
  const lines = linesOf(ended);
  expect(lines.map(({ file }) => file).sort()).toEqual(FILES);
  expect(new Set(lines.map(({ status }) => status))).toEqual(new Set(['COMPLETED']));
});

it('a folder without --recursive is refused, with what to do', async () => {
  const { exit, stderr } = await upload('clips');
  expect(exit).toBe(5);
  expect(stderr).toContain('Add --recursive');
});

it('if one of several files differs from its earlier upload, only that file is refused', async () => {
  await upload('clips/a.mp4', '--wait', '--id', 'files-a');
  const { exit, stderr } = await upload('clips/b.mp4', '--id', 'files-a');
  expect(exit).toBe(2);
  expect(stderr).toMatch(/^Error: The upload upload\/\S+\/files-a already exists with a different source\./);
  expect(stderr).toContain('Use --again, or another --id.');
});
