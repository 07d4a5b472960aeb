import { chmod, mkdir, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { S3Objects } from '../../../../files/s3/s3-client';
import type { S3Entry } from '../../../../files/s3/s3-objects';
import { planManifest, SKIP_REASONS } from '../../../../manifest/plan/plan-manifest';
import type { PlanOptions, PlanSummary } from '../../../../manifest/plan/plan-manifest';
import { listPlanned, plannedFolder } from '../../../../manifest/plan/planned-files';
import type { FileAccess } from '../../../../files/output-path';
import { withoutRoot } from '../../../support/without-root';
import { useTempDir } from '../../../support/use-temp-dir';
import { readAll } from '../manifest-text';

const temp = useTempDir('plan');
beforeAll(async () => {
  await mkdir(join(temp.path, 'clips', 'apollo', 'one'), { recursive: true });
  await mkdir(join(temp.path, 'clips', '.trash'));
  const file = (name: string, text = 'film'): Promise<void> =>
    writeFile(join(temp.path, 'clips', name), text);
  await file('b, "c".mp4');
  await file('a.MOV');
  await file('[x].mp4');
  await file('apollo/one/z.3gp');
  await file('apollo/y.mp3');
  await file('.hidden.mp4');
  await file('.trash/w.mp4');
  await file('notes.txt');
  await file('empty.mp4', '');
  await file('huge.mp4');
  await truncate(join(temp.path, 'clips', 'huge.mp4'), 72_000_000_001);
});

const KEYS = ['in/a.mp4', 'in/deep/b.mov', 'in/notes.txt', 'in2/c.mp4'];

/** A bucket that can only be listed. */
function bucketOf(keys: readonly string[]): S3Objects {
  async function* list(bucket: string, prefix: string): AsyncGenerator<S3Entry> {
    const wanted = keys.filter((key) => bucket === 'media' && key.startsWith(prefix));
    // The movie was written just now, the others long ago.
    for (const key of wanted) yield { key, bytes: 5, writtenAt: key.endsWith('.mov') ? Date.now() : 0 };
  }
  return { list } as Partial<S3Objects> as S3Objects;
}

interface Planning extends Partial<PlanOptions> {
  readonly exclude?: readonly string[];
  /** Folder of relative paths, and the only one that may be read unless `roots` says more. */
  readonly cwd?: string;
  readonly roots?: readonly string[];
}

async function plan(what: string, options: Planning = {}) {
  const { exclude = [], cwd = temp.path, roots = [cwd], ...planning } = options;
  const access: FileAccess = { roots, outputRoots: [], s3: bucketOf(KEYS) };
  const entries = listPlanned(access, [await plannedFolder(what, cwd)], { exclude });
  const planned = planManifest(entries, { format: 'csv', relativeTo: cwd, ...planning });
  const text = (await Array.fromAsync(planned.text)).join('');
  return { text, summary: planned.summary() };
}

async function sourcesOf(what: string, options: Planning = {}): Promise<string[]> {
  const { text } = await plan(what, { ...options, format: 'jsonl' });
  return (await readAll(text, { format: 'jsonl' })).flatMap((item) =>
    'source' in item ? [item.source] : [],
  );
}

test.each([
  ['a folder by its name', ['one'], ['[x].mp4', 'a.MOV', 'apollo/y.mp3', 'b, "c".mp4']],
  ['a folder with a slash at its end', ['apollo/'], ['[x].mp4', 'a.MOV', 'b, "c".mp4']],
  ['files by their type, anywhere', ['*.mp3', '*.MOV'], ['[x].mp4', 'apollo/one/z.3gp', 'b, "c".mp4']],
  ['a path below', ['apollo/*.mp3'], ['[x].mp4', 'a.MOV', 'apollo/one/z.3gp', 'b, "c".mp4']],
])('a plan can exclude %s', async (_what, exclude, names) => {
  expect(await sourcesOf('clips', { exclude, relativeTo: join(temp.path, 'clips') })).toEqual(names);
});

describe('a plan of a folder', () => {
  test('has a sorted row for each file that can be uploaded, and names what it leaves out', async () => {
    const { text, summary } = await plan('clips');
    expect(text).toBe(
      [
        'source,fileType',
        'clips/[x].mp4,MP4',
        'clips/a.MOV,MOV',
        'clips/apollo/one/z.3gp,3GPP',
        'clips/apollo/y.mp3,MP3',
        '"clips/b, ""c"".mp4",MP4',
        '',
      ].join('\n'),
    );
    const noneSkipped = Object.fromEntries(Object.keys(SKIP_REASONS).map((reason) => [reason, 0]));
    expect(summary).toEqual({
      files: 5,
      bytes: 20,
      fileTypes: { MP4: 2, MOV: 1, '3GPP': 1, MP3: 1 },
      skipped: { ...noneSkipped, hidden: 2, unsupported: 1, empty: 1, tooLarge: 1 },
      skippedNames: {
        hidden: ['.hidden.mp4', '.trash/w.mp4'],
        empty: ['empty.mp4'],
        tooLarge: ['huge.mp4'],
        unsupported: ['notes.txt'],
      },
    });
  });

  test('has no cell that a spreadsheet takes for a formula', async () => {
    const folder = join(temp.path, 'formulas');
    await mkdir(folder);
    const formulas = ['+c.mp4', '-a.mp4', '=cmd().mp4', '@b.mp4'];
    for (const name of [...formulas, 'd.mp4']) await writeFile(join(folder, name), 'film');
    const sources = await sourcesOf('formulas', { relativeTo: folder });
    expect(sources).toEqual([...formulas.map((name) => `./${name}`), 'd.mp4']);
  });

  test('leaves out files that were written to within the minimum age', async () => {
    await mkdir(join(temp.path, 'recorder'));
    for (const name of ['old.mp4', 'new.mp4']) await writeFile(join(temp.path, 'recorder', name), 'film');
    await utimes(join(temp.path, 'recorder', 'old.mp4'), new Date(), new Date(Date.now() - 601_000));
    const { text, summary } = await plan('recorder', { minAgeMs: 600_000 });
    expect(text).toBe('source,fileType\nrecorder/old.mp4,MP4\n');
    expect(summary.skippedNames).toEqual({ tooYoung: ['new.mp4'] });
  });

  test('leaves out objects that were written within the minimum age', async () => {
    const { summary } = await plan('s3://media/in', { minAgeMs: 600_000 });
    expect(summary.skippedNames).toMatchObject({ tooYoung: ['deep/b.mov'] });
    expect(summary.files).toBe(1);
  });

  test('leaves out thumbnails and deleted files of network storage, unless such a folder is named', async () => {
    for (const folder of ['nas/2026/@eaDir/a.mp4', 'nas/#recycle', 'nas/$RECYCLE.BIN']) {
      await mkdir(join(temp.path, folder), { recursive: true });
      await writeFile(join(temp.path, folder, 'SYNOVIDEO.jpg'), 'film');
    }
    await writeFile(join(temp.path, 'nas', '2026', '#recycle'), '');
    await writeFile(join(temp.path, 'nas', '2026', 'a.mp4'), 'film');
    const { text, summary } = await plan('nas');
    expect(text).toBe('source,fileType\nnas/2026/a.mp4,MP4\n');
    expect(summary.skippedNames).toEqual({
      systemFolder: [
        '#recycle/SYNOVIDEO.jpg',
        '$RECYCLE.BIN/SYNOVIDEO.jpg',
        '2026/@eaDir/a.mp4/SYNOVIDEO.jpg',
      ],
      unsupported: ['2026/#recycle'],
    });
    expect((await plan('nas/#recycle')).text).toBe('source,fileType\nnas/#recycle/SYNOVIDEO.jpg,JPG\n');
  });

  test('without a file that can be uploaded is not a manifest, not even a header', async () => {
    expect(await plan('clips/*.xyz')).toMatchObject({ text: '', summary: { files: 0 } });
  });
});

test.each<[what: string, sources: string[]]>([
  ['clips/*.mp4', ['clips/[x].mp4', 'clips/b, "c".mp4']],
  ['clips/**/*.{3gp,mp3}', ['clips/apollo/one/z.3gp', 'clips/apollo/y.mp3']],
  ['clips/[x].mp4', ['clips/[x].mp4']],
  ['clips/a.MOV', ['clips/a.MOV']],
  ['s3://media/in', ['s3://media/in/a.mp4', 's3://media/in/deep/b.mov']],
  ['s3://media', ['s3://media/in/a.mp4', 's3://media/in/deep/b.mov', 's3://media/in2/c.mp4']],
  ['s3://media/in*/*.mp4', ['s3://media/in/a.mp4', 's3://media/in2/c.mp4']],
  ['s3://media/in/**/*.mov', ['s3://media/in/deep/b.mov']],
])('%s names its files', async (what, sources) => {
  expect(await sourcesOf(what)).toEqual(sources);
});

describe('a plan of a folder with entries that are not files', () => {
  const odd = useTempDir('odd', 'test');
  const at = (name: string): string => join(odd.path, name);
  beforeEach(async () => {
    await chmod(odd.path, 0o755);
    await mkdir(at('day'));
    await mkdir(at('lent'));
    await writeFile(at('lent/film.mp4'), 'film');
    await writeFile(at('day/a.mp4'), 'film');
  });

  const planned = (what: string, exclude: readonly string[] = []): ReturnType<typeof plan> =>
    plan(what, { exclude, cwd: odd.path, roots: [at('day')] });

  test('names what this user may not read, unless it is excluded, and plans the rest', async () => {
    await mkdir(at('day/locked'), { mode: 0 });
    await writeFile(at('day/shut.mp4'), 'film', { mode: 0 });
    for (const [exclude, skippedNames] of [
      [[], { unreadable: ['locked/', 'shut.mp4'] }],
      [['locked', 'shut.mp4'], {}],
    ] as const) {
      const { text, summary } = await withoutRoot(() => planned('day', exclude));
      expect(text).toBe('source,fileType\nday/a.mp4,MP4\n');
      expect(summary.skippedNames).toEqual(skippedNames);
    }
    await chmod(at('day/locked'), 0o755);
  });

  test.each<[what: string, skippedNames: PlanSummary['skippedNames']]>([
    ['day/*.mp4', { hidden: ['.dead.mp4'], linkedOutside: ['film.mp4'] }],
    ['day/**/*.mp4', { hidden: ['.dead.mp4'], linkedOutside: ['film.mp4'], linkedFolder: ['more'] }],
    ['day/film.mp4', { linkedOutside: ['film.mp4'] }],
    ['day/a.mp4', {}],
  ])('reports those that %s may match', async (what, skippedNames) => {
    await symlink(at('lent/film.mp4'), at('day/film.mp4'));
    await symlink(at('lent'), at('day/more'));
    await symlink('none.mp4', at('day/.dead.mp4'));
    expect((await planned(what)).summary.skippedNames).toEqual(skippedNames);
  });

  test('says that a named link leads to nothing', async () => {
    await symlink('none.mp4', at('day/dead.mp4'));
    await expect(planned('day/dead.mp4')).rejects.toMatchObject({
      code: 'SourceMissing',
      message: 'day/dead.mp4 is a link to something that does not exist.',
    });
  });
});

test('a path that does not exist is an error', async () => {
  await expect(plan('none')).rejects.toMatchObject({ code: 'SourceMissing', facts: { field: 'WHAT' } });
});
