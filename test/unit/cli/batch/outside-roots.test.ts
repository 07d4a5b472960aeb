import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { manifestWarnings, sourceWarningOf } from '../../../../cli/batch/check-here';
import type { SourceDescriptor } from '../../../../api/upload/sources/source';
import { useTempDir } from '../../../support/use-temp-dir';

const temp = useTempDir('outside-roots');
beforeAll(async () => {
  for (const folder of ['media', 'out', 'else']) await mkdir(join(temp.path, folder));
  await writeFile(join(temp.path, 'media', 'a.mp4'), 'film');
  await symlink(join(temp.path, 'media'), join(temp.path, 'else', 'link'));
  await writeFile(join(temp.path, 'else', 'secret.mp4'), 'film');
  await symlink(join(temp.path, 'else', 'secret.mp4'), join(temp.path, 'media', 'out.mp4'));
});

function at(path: string): SourceDescriptor {
  return { kind: 'path', path: join(temp.path, path) };
}

describe('a source', () => {
  test.each<[label: string, roots: string[] | undefined, path: string, isOutside: boolean]>([
    ['below a root', ['out', 'media'], 'media/a.mp4', false],
    ['that a link leads to from outside', ['media'], 'else/link/a.mp4', false],
    ['outside of all roots', ['out', 'media'], 'else/b.mp4', true],
    ['below the folder of the command, with roots elsewhere', ['out'], 'media/a.mp4', true],
    ['below the folder of the command, without roots', undefined, 'media/a.mp4', false],
    ['outside of it, without roots', undefined, 'else/b.mp4', true],
  ])('%s', async (_label, roots, path, isOutside) => {
    const fileRoots = roots?.map((name) => join(temp.path, name));
    const settings = { sourceHosts: [], ...(fileRoots === undefined ? {} : { fileRoots }) };
    const warning = await sourceWarningOf({ settings, cwd: join(temp.path, 'media') })(at(path));
    const folders = fileRoots?.join(', ') ?? join(temp.path, 'media');
    expect(warning).toEqual(
      isOutside
        ? {
            column: 'source',
            kind: 'path',
            message: `${join(temp.path, path)} is outside of the folders that a worker with these settings reads: ${folders}`,
            hint: expect.stringContaining('MEDIA_SERVICE_FILE_ROOTS='),
          }
        : undefined,
    );
  });

  test('that is not a path is never outside the roots', async () => {
    const warning = sourceWarningOf({ settings: { fileRoots: [], sourceHosts: [] }, cwd: temp.path });
    expect(await warning({ kind: 's3', bucket: 'incoming', key: 'a.mp4' })).toBeUndefined();
  });
});

test('a link that leads out of the roots is named with its target', async () => {
  const settings = { fileRoots: [join(temp.path, 'media')], sourceHosts: [] };
  expect(await sourceWarningOf({ settings, cwd: temp.path })(at('media/out.mp4'))).toMatchObject({
    kind: 'path',
    message: expect.stringContaining(
      `out.mp4 is a link to ${join(temp.path, 'else', 'secret.mp4')}, which is outside`,
    ),
    // Allowing the folder of any file that a link names is no advice.
    hint: expect.not.stringContaining('MEDIA_SERVICE_FILE_ROOTS='),
  });
});

test.each([
  ['a private address', 'http://10.0.0.7/a.mp4?key=secret', [], true],
  ['one that is allowed', 'http://10.0.0.7/a.mp4', ['10.0.0.7'], false],
])('%s is reported as a worker would: %s', async (_label, url, sourceHosts, isRefused) => {
  const warning = await sourceWarningOf({ settings: { sourceHosts }, cwd: temp.path })({
    kind: 'http',
    url,
    label: 'a.mp4',
  });
  expect(warning?.kind).toBe(isRefused ? 'address' : undefined);
  expect(JSON.stringify(warning ?? {})).not.toContain('secret');
});

test('a manifest may also be in a folder where batches are written', async () => {
  const settings = {
    fileRoots: [join(temp.path, 'media')],
    outputRoots: [join(temp.path, 'out')],
    sourceHosts: [],
  };
  const started = { settings, cwd: temp.path };
  expect(await manifestWarnings(started, at('out/failed.csv'))).toEqual([]);
  expect(await manifestWarnings(started, at('else/clips.csv'))).toEqual([
    {
      message: expect.stringMatching(/^the manifest .*clips\.csv is outside/),
      hint: expect.any(String),
    },
  ]);
});
