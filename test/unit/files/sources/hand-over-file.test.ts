import { chmod, mkdir, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { handOverFile } from '../../../../files/sources/hand-over-file';
import type { HandedOver } from '../../../../files/sources/hand-over-file';
import { pinPath } from '../../../../files/sources/path-source';
import { withoutRoot, writeOnFullDisk } from '../../../support/harsh-disk';
import { createTempDir } from '../../../support/temp-dir';
import type { TempDir } from '../../../support/temp-dir';
import { watchDisk } from '../../../support/watch-disk';
import { failureOf } from '../../api/upload/failure-of';

let temp: TempDir;
let root: string;
let opened: number;
beforeEach(async () => {
  temp = await createTempDir('hand-over');
  root = join(temp.path, 'root');
  await mkdir(join(root, 'shared'), { recursive: true });
  await mkdir(join(temp.path, 'outside'));
  opened = 0;
});
afterEach(() => temp.remove());

const handOver = (
  folder: string,
  pieces: AsyncIterable<Uint8Array> = content('first, ', 'second'),
  fileName = 'film.mp4',
  signal?: AbortSignal,
): Promise<HandedOver> => {
  const open = (): Promise<AsyncIterable<Uint8Array>> => {
    opened += 1;
    return Promise.resolve(pieces);
  };
  return handOverFile({ folder, roots: [root], fileName, open, signal });
};

async function* content(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

describe('a file that is handed over', () => {
  test.each(['.', 'shared'])(
    'is written whole to the folder (%s of a root), to be deleted after its upload',
    async (name) => {
      const folder = join(root, name);
      const { source } = await handOver(folder);
      expect(source).toMatchObject({ kind: 'path', deleteAfter: true, fileName: 'film.mp4', bytes: 13 });
      expect(await pinPath({ roots: [root] }, source)).toMatchObject({ fileName: 'film.mp4', bytes: 13 });
      expect(source).not.toHaveProperty('host');
      expect(source.path).toMatch(/\/media-service-[0-9a-f]{32}-film\.mp4$/);
      expect(await readFile(source.path, 'utf8')).toBe('first, second');
    },
  );

  test('gets its name only when it is whole and on the disk', async () => {
    const folder = join(root, 'shared');
    const seen = await watchDisk(folder);
    await handOver(folder);
    jest.restoreAllMocks();
    expect(seen).toEqual([
      expect.stringMatching(/^sync media-service-[0-9a-f]{32}-film\.mp4\.part$/),
      expect.stringMatching(/^rename to media-service-[0-9a-f]{32}-film\.mp4$/),
      'sync .',
    ]);
  });

  test('never replaces another file of the same name', async () => {
    const [one, two] = await Promise.all([handOver(root), handOver(root)]);
    expect(one.source.path).not.toBe(two.source.path);
  });

  test('can be taken back, even twice', async () => {
    const { takeBack } = await handOver(join(root, 'shared'));
    await takeBack();
    await takeBack();
    expect(await readdir(join(root, 'shared'))).toEqual([]);
  });

  test.each([
    { fileName: '../../etc/passwd', expected: /-passwd$|_etc_passwd$/ },
    { fileName: 'a/b\\c:d*.mov', expected: /-[^/\\:*]*\.mov$/ },
    { fileName: `${'x'.repeat(300)}.mp4`, expected: /-x{100}\.mp4$/ },
    { fileName: `${'現'.repeat(200)}.mp4`, expected: /-現{33}\.mp4$/ },
    { fileName: 'Küche 現場.mp4', expected: /-Küche_現場\.mp4$/ },
  ])('stays inside its folder when it is named $fileName', async ({ fileName, expected }) => {
    const { source } = await handOver(join(root, 'shared'), content('x'), fileName);
    expect(source.path.slice(join(root, 'shared').length + 1)).not.toMatch(/[/\\]/);
    expect(source.path).toMatch(expected);
  });
});

describe('a hand-over that fails', () => {
  test('because the folder is outside the roots opens nothing and leaves nothing', async () => {
    const outside = join(temp.path, 'outside');
    await symlink(outside, join(root, 'link'));
    for (const folder of [outside, join(root, '..', 'outside'), join(root, 'link'), '/']) {
      await expect(handOver(folder)).rejects.toMatchObject({ code: 'SourceNotAllowed' });
    }
    expect(opened).toBe(0);
    expect(await readdir(outside)).toEqual([]);
  });

  test('because its content can only be read in part leaves no partial file', async () => {
    const failure = new Error('the binary data is gone');
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half');
      throw failure;
    }
    await expect(handOver(join(root, 'shared'), broken())).rejects.toBe(failure);
    expect(await readdir(join(root, 'shared'))).toEqual([]);
  });

  test('because it is stopped between two pieces leaves no partial file', async () => {
    const stop = new AbortController();
    async function* stopping(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('first');
      stop.abort();
      yield Buffer.from('second');
    }
    const handedOver = handOver(join(root, 'shared'), stopping(), 'film.mp4', stop.signal);
    await expect(handedOver).rejects.toMatchObject({ name: 'AbortError' });
    expect(await readdir(join(root, 'shared'))).toEqual([]);
  });

  test('because the disk is full names the folder and the setting, and leaves no partial file', async () => {
    const folder = join(root, 'shared');
    expect(await writeOnFullDisk('handOver', folder)).toMatchObject({
      code: 'Configuration',
      message: `the shared folder ${folder} has too little room`,
      facts: { field: 'sharedFolder', remedy: { kind: 'set-shared-folder' } },
    });
    expect(await readdir(folder)).toEqual([]);
  });

  test.each([
    ['that may not be written to', 'shared', 'EACCES'],
    ['that is missing', 'nothing', 'ENOENT'],
    ['that is a root and missing', '', 'ENOENT'],
  ])('because of a folder %s names the folder and the setting', async (_what, name, code) => {
    await chmod(temp.path, 0o755);
    await chmod(join(root, 'shared'), 0o555);
    if (name === '') await rm(root, { recursive: true });
    const folder = join(root, name);
    const error = await withoutRoot(() => failureOf(handOver(folder)));
    expect([error.code, error.facts.field]).toEqual(['Configuration', 'sharedFolder']);
    expect(error.message).toBe(`the shared folder ${folder} can't be written to (${code})`);
    expect(error.facts.remedy).toEqual({ kind: 'set-shared-folder' });
  });
});
