import { beforeAll, expect, test } from '@jest/globals';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createS3 } from '../../../../files/s3/s3-client';
import { expandFiles, type ExpandedFiles } from '../../../../cli/uploads/expand-files';
import { useTempDir } from '../../../support/use-temp-dir';

const temp = useTempDir('expand-files');
beforeAll(async () => {
  await mkdir(join(temp.path, 'clips', 'night'), { recursive: true });
  await mkdir(join(temp.path, 'clips', 'none'));
  const names = 'b.mp4 a.mp4 notes.txt .hidden.mp4 night/c.mov night/d.mp4 odd[1].mp4';
  for (const name of names.split(' ')) await writeFile(join(temp.path, 'clips', name), 'film');
  await writeFile(join(temp.path, 'clips', 'empty.mp4'), '');
  await writeFile(join(temp.path, 'secret.mp4'), 'film');
  await symlink(join(temp.path, 'secret.mp4'), join(temp.path, 'clips', 'linked.mp4'));
});

function expand(texts: readonly string[], recursive = false): Promise<ExpandedFiles> {
  return expandFiles(texts, {
    cwd: temp.path,
    recursive,
    withAccess: async (folders, use) => {
      const s3 = createS3({});
      try {
        return await use({ roots: folders, outputRoots: [], s3 });
      } finally {
        s3.close();
      }
    },
    signal: new AbortController().signal,
  });
}

const MP4S = ['clips/a.mp4', 'clips/b.mp4', 'clips/odd[1].mp4'];
const ALL = ['clips/a.mp4', 'clips/b.mp4', 'clips/night/c.mov', 'clips/night/d.mp4', 'clips/odd[1].mp4'];
const ELSEWHERE = ['', 'https://host/a*.mp4?x=[1]', 's3://bucket/a[1].mp4'];
const TWICE = ['clips/a.mp4', 'clips/a.mp4'];

test.each<[label: string, texts: string[], recursive: boolean, files: string[]]>([
  ['a pattern means its files in order', ['clips/*.mp4'], false, MP4S],
  ['a pattern may reach below', ['clips/**/*.{mov,mp4}'], false, ALL],
  ['a folder with --recursive means everything in it', ['clips'], true, ALL],
  ['a folder stays without --recursive', ['clips'], false, ['clips']],
  ['an existing path is never read as a pattern', ['clips/odd[1].mp4'], false, ['clips/odd[1].mp4']],
  ['a missing path stays', ['clips/gone.mp4'], false, ['clips/gone.mp4']],
  ['an empty argument and URLs stay', ELSEWHERE, false, ELSEWHERE],
  ['a file that two patterns match is listed once', ['clips/a*', 'clips/*a.mp4'], false, ['clips/a.mp4']],
  ['a file that is named twice stays twice', TWICE, false, TWICE],
])('%s', async (_label, texts, recursive, files) => {
  expect((await expand(texts, recursive)).files).toEqual(files);
});

test('an absolute pattern returns absolute paths', async () => {
  const { files } = await expand([join(temp.path, 'clips', 'a*')]);
  expect(files).toEqual([join(temp.path, 'clips', 'a.mp4')]);
});

test('files that are left out are counted and named', async () => {
  const { leftOut } = await expand(['clips'], true);
  expect(leftOut).toHaveLength(1);
  for (const left of ['1 hidden (.hidden.mp4)', '(notes.txt)', '1 empty (empty.mp4)', '(linked.mp4)'])
    expect(leftOut[0]).toContain(left);
});

test.each([['clips/*.wav'], ['clips/none/*']])('%s holds nothing and is refused', async (text) => {
  await expect(expand([text])).rejects.toMatchObject({
    code: 'Validation',
    message: expect.stringContaining(`${text} has no files that can be uploaded`),
  });
});

test('a pattern in a missing folder is reported as such', async () => {
  await expect(expand(['nowhere/**'])).rejects.toMatchObject({
    code: 'SourceMissing',
    message: `nowhere/**: ${join(temp.path, 'nowhere')} does not exist.`,
  });
});
