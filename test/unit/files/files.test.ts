import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { isRetryable } from '../../../api/retry';
import { createS3 } from '../../../files/s3/s3-client';
import type { FileLocation } from '../../../files/file-location';
import {
  deleteFileAt,
  listFilesAt,
  readFileAt,
  readTextAt,
  surveyFilesAt,
  writeFileAt,
} from '../../../files/files';
import type { FileAccess } from '../../../files/output-path';
import { tempFolder } from '../../support/after-test';
import { withoutRoot } from '../../support/without-root';
import { failFiles } from '../../support/fail-files';
import { failureOf } from '../api/upload/failure-of';

let base: string;
let access: FileAccess;
beforeEach(async () => {
  base = await tempFolder('places');
  await Promise.all(['out', 'in', 'else'].map((name) => mkdir(join(base, name))));
  access = { outputRoots: [join(base, 'out')], roots: [join(base, 'in')], s3: createS3() };
});
afterEach(() => {
  jest.restoreAllMocks();
});

function at(...way: string[]): FileLocation {
  return { kind: 'path', path: join(base, ...way) };
}

async function textOf(location: FileLocation): Promise<string> {
  return text(readFileAt(access, location));
}

describe('a file that is written', () => {
  test('contains the texts in the order in which they came', async () => {
    const long = 'é'.repeat(100_000);
    const texts = ['one\n', 'two\n', '\ud83d', '\ude00\n', 'three\n', '', long, 'end'];
    await writeFileAt(access, at('out', 'mixed.txt'), pieces(...texts));
    expect(await readFile(join(base, 'out', 'mixed.txt'), 'utf8')).toBe(`one\ntwo\n😀\nthree\n${long}end`);
  });

  test("can't be seen before it is complete", async () => {
    const seen: string[][] = [];
    await writeFileAt(
      access,
      at('out', 'slow.csv'),
      (async function* () {
        yield 'half';
        for await (const { name } of listFilesAt(access, at('out'))) seen.push([name]);
        seen.push([String(await readTextAt(access, at('out', 'slow.csv')))]);
        yield ' and half';
      })(),
    );
    expect(seen).toEqual([['undefined']]);
    expect(await textOf(at('out', 'slow.csv'))).toBe('half and half');
  });
});

describe('a file outside the output roots', () => {
  test.each([
    ['beside them', () => at('else', 'file')],
    ['in a folder that may only be read', () => at('in', 'file')],
    ['above them by dots', (): FileLocation => ({ kind: 'path', path: `${base}/out/../else/file` })],
    ['in a folder that does not exist yet', () => at('else', 'new', 'file')],
    ['behind a link inside them', () => at('out', 'link', 'file')],
    ['which is a root itself', () => at('out')],
  ])('%s is refused, and nothing is made', async (_where, location) => {
    await symlink(join(base, 'else'), join(base, 'out', 'link'));
    const failure = await failureOf(writeFileAt(access, location(), 'text'));
    expect([failure.code, failure.facts.field]).toEqual(['OutputFailed', 'output']);
    expect(failure.facts.hint).toContain('{outputRoots}');
    expect(await readdir(join(base, 'else'))).toEqual([]);
  });

  test('is not deleted', async () => {
    await writeFile(join(base, 'in', 'film.mp4'), 'film');
    expect((await failureOf(deleteFileAt(access, at('in', 'film.mp4')))).code).toBe('OutputFailed');
    expect(await readdir(join(base, 'in'))).toEqual(['film.mp4']);
  });

  test('is refused if there are none, with what to set', async () => {
    const none = { ...access, outputRoots: [] };
    const failure = await failureOf(writeFileAt(none, at('out', 'file'), 'text'));
    expect(failure.message).toContain('no folder is allowed for output');
  });
});

describe("a file that can't be written", () => {
  test.each([
    ['a folder of its name is there', ['folder'], 'a folder of this name exists'],
    ['a part of its path is a file', ['file', 'a'], 'is not a folder'],
  ])('since %s says so', async (_why, way, says) => {
    await mkdir(join(base, 'out', 'folder'));
    await writeFile(join(base, 'out', 'file'), '');
    const failure = await failureOf(writeFileAt(access, at('out', ...way), 'text'));
    expect([failure.code, failure.message]).toEqual(['OutputFailed', expect.stringContaining(says)]);
    expect(await readdir(join(base, 'out'))).toEqual(['file', 'folder']);
  });

  test('says so if this user may not write it', async () => {
    await chmod(base, 0o755);
    await chmod(join(base, 'out'), 0o555);
    const failure = await withoutRoot(() => failureOf(writeFileAt(access, at('out', 'file'), 'text')));
    expect(failure.code).toBe('OutputFailed');
    expect(failure.message).toBe(
      `${join(base, 'out', 'file')} can't be written: this process may not write there`,
    );
  });
});

test('an output folder that is away takes nothing, is not made again or listed as empty until it is back, and every access is retried', async () => {
  const file = at('out', 'batch', 'plan.json');
  await writeFileAt(access, file, 'the plan');
  expect(await readTextAt(access, file)).toBe('the plan');
  await rename(join(base, 'out'), join(base, 'away'));
  const failures = [
    await failureOf(writeFileAt(access, file, 'lost')),
    await failureOf(writeFileAt({ ...access, onlyNew: true }, file, 'lost')),
    await failureOf(deleteFileAt(access, file)),
    await failureOf(readTextAt(access, file)),
    await failureOf(listFilesAt(access, at('out', 'batch')).next()),
    await failureOf(listFilesAt(access, at('out')).next()),
  ];
  expect(failures.map(({ code }) => code)).toEqual([
    ...['OutputFailed', 'OutputFailed', 'OutputFailed'],
    ...['SourceUnavailable', 'SourceUnavailable', 'SourceUnavailable'],
  ]);
  for (const failure of failures) {
    expect(isRetryable(failure)).toBe(true);
    expect(failure.message).toContain(`the folder ${join(base, 'out')} is not there`);
  }
  expect(await readdir(base)).not.toContain('out');
  await rename(join(base, 'away'), join(base, 'out'));
  await writeFileAt(access, file, 'the plan, once more');
  expect(await readTextAt(access, file)).toBe('the plan, once more');
});

describe('a disk that fails during a write', () => {
  test.each([
    ['ENOSPC', 'the disk is full', true],
    ['EFBIG', 'the file would be larger than this system takes', false],
    ['EIO', 'the disk or network share fails', true],
    ['ESTALE', 'the network share does not answer', true],
    ['EROFS', 'the file system is read-only', false],
  ])(
    'with %s says so, and the write is retried only if the error may be temporary',
    async (code, says, retried) => {
      await failFiles('write', code);
      const failure = await failureOf(writeFileAt(access, at('out', 'file'), 'text'));
      expect([failure.code, isRetryable(failure)]).toEqual(['OutputFailed', retried]);
      expect(failure.message).toContain(says);
      expect(await readdir(join(base, 'out'))).toEqual([]);
    },
  );
});

describe('a file that is read', () => {
  test('must be in the roots or the output roots', async () => {
    for (const folder of ['in', 'out', 'else']) await writeFile(join(base, folder, 'file'), folder);
    expect([await textOf(at('in', 'file')), await textOf(at('out', 'file'))]).toEqual(['in', 'out']);
    expect((await failureOf(textOf(at('else', 'file')))).code).toBe('SourceNotAllowed');
  });

  test('must exist, unless the caller allows a missing text', async () => {
    expect((await failureOf(textOf(at('out', 'none')))).code).toBe('SourceMissing');
    expect(await readTextAt(access, at('out', 'none', 'deeper'))).toBeUndefined();
    await mkdir(join(base, 'out', 'folder'));
    expect(await failureOf(textOf(at('out', 'folder')))).toMatchObject({
      code: 'SourceMissing',
      facts: { problem: expect.stringMatching(/folder is a folder$/) },
    });
  });
});

describe('a folder', () => {
  const write = async (name: string): Promise<void> => writeFileAt(access, at('out', name), name);

  test('is listed at any depth in byte order of whole names, as S3 lists keys', async () => {
    for (const name of ['b/1', 'a/2', 'a.txt', 'a/10', 'B', 'ä', 'a/b/c']) await write(name);
    const found = await Array.fromAsync(listFilesAt(access, at('out')));
    const names = ['B', 'a.txt', 'a/10', 'a/2', 'a/b/c', 'b/1', 'ä'];
    expect(found).toMatchObject(
      names.map((name) => ({ name, bytes: Buffer.byteLength(name), location: at('out', name) })),
    );
  });

  test('that does not exist holds nothing', async () => {
    expect(await Array.fromAsync(listFilesAt(access, at('out', 'none')))).toEqual([]);
  });
});

describe('a survey of a folder', () => {
  const surveyed = async (): Promise<unknown[]> =>
    (await Array.fromAsync(surveyFilesAt(access, at('out')))).map((one) =>
      'leftOut' in one ? [one.name, one.leftOut] : one.name,
    );

  test('names in order what a list leaves out, with the reason', async () => {
    const out = (name: string): string => join(base, 'out', name);
    await mkdir(join(base, 'in', 'folder'));
    await writeFile(join(base, 'in', 'film.mp4'), 'film');
    await writeFile(join(base, 'else', 'film.mp4'), 'film');
    await writeFile(out('b.mp4'), 'film');
    await symlink(join(base, 'in', 'film.mp4'), out('c.mp4'));
    await symlink(join(base, 'else', 'film.mp4'), out('d.mp4'));
    await symlink(join(base, 'in', 'folder'), out('e'));
    await symlink(join(base, 'in', 'none.mp4'), out('f.mp4'));
    await symlink('g.mp4', out('g.mp4'));
    await promisify(execFile)('mkfifo', [out('h.mp4')]);
    await symlink('h.mp4', out('i.mp4'));
    await symlink(join(base, 'else'), out('j'));
    expect(await surveyed()).toEqual([
      'b.mp4',
      'c.mp4',
      ['d.mp4', 'linkedOutside'],
      ['e', 'linkedFolder'],
      ['f.mp4', 'unreadable'],
      ['g.mp4', 'unreadable'],
      ['h.mp4', 'noRegularFile'],
      ['i.mp4', 'noRegularFile'],
      ['j', 'linkedFolder'],
    ]);
    const listed = await Array.fromAsync(listFilesAt(access, at('out')));
    expect(listed).toMatchObject(['b.mp4', 'c.mp4'].map((name) => ({ name, bytes: 4 })));
  });

  test('names files and folders whose names are not UTF-8, and no others', async () => {
    const latin1 = (name: string): Buffer => Buffer.from(join(base, 'out', name), 'latin1');
    await writeFile(latin1('caf\xe9.mp4'), 'film');
    await mkdir(latin1('\xfcber'));
    await writeFile(latin1('\xfcber/film.mp4'), 'film');
    await writeFile(join(base, 'out', 'caf\ufffd.mp4'), 'film');
    // In byte order: 0xe9 and 0xfc come before and after the bytes of U+FFFD.
    expect(await surveyed()).toEqual([
      ['caf\ufffd.mp4', 'badName'],
      'caf\ufffd.mp4',
      ['\ufffdber/', 'badName'],
    ]);
  });

  test('names a file that goes away meanwhile', async () => {
    for (const name of ['a', 'b']) await writeFileAt(access, at('out', name), name);
    const survey = surveyFilesAt(access, at('out'));
    expect((await survey.next()).value).toMatchObject({ name: 'a', bytes: 1 });
    await deleteFileAt(access, at('out', 'b'));
    expect((await survey.next()).value).toEqual({ name: 'b', leftOut: 'unreadable' });
    expect((await survey.next()).done).toBe(true);
  });

  test('ends if the share goes away meanwhile: its files do not count as left out', async () => {
    for (const name of ['a', 'b']) await writeFileAt(access, at('out', name), name);
    const survey = surveyFilesAt(access, at('out'));
    await survey.next();
    await rename(join(base, 'out'), join(base, 'away'));
    expect((await failureOf(survey.next())).code).toBe('SourceUnavailable');
  });

  test('names files of a folder that this user may not read', async () => {
    await chmod(base, 0o755);
    await writeFileAt(access, at('out', 'folder', 'a'), 'text');
    await chmod(join(base, 'out'), 0o755);
    await chmod(join(base, 'out', 'folder'), 0o444);
    expect(await withoutRoot(surveyed)).toEqual([['folder/a', 'unreadable']]);
  });
});

test('a deleted file is gone, and deleting it again does no harm', async () => {
  await writeFileAt(access, at('out', 'file'), 'text');
  await deleteFileAt(access, at('out', 'file'));
  await deleteFileAt(access, at('out', 'file'));
  expect(await readdir(join(base, 'out'))).toEqual([]);
});

async function* pieces(...all: string[]): AsyncGenerator<string> {
  yield* all;
}

test('a file that is created is complete, and the only one of several at once', async () => {
  const texts = Array.from({ length: 8 }, (_, index) => `claim ${index}`);
  const file = at('out', 'new', 'batch.json');
  const seen = await Promise.all(
    texts.map(async (text) => {
      await writeFileAt({ ...access, onlyNew: true }, file, text);
      return readTextAt(access, file);
    }),
  );
  expect(texts).toContain(seen[0]);
  expect(new Set(seen).size).toBe(1);
});
