import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createS3 } from '../../../../files/s3/s3-client';
import type { FileLocation } from '../../../../files/file-location';
import type { FileAccess } from '../../../../files/files';
import { journalFile } from '../../../../temporal/batch/batch-files';
import { newerLine, readJournal } from '../../../../temporal/batch/page-journal';
import { writeLines } from '../../../../temporal/batch/line-files';
import type { ResultLine, SessionEntry } from '../../../../temporal/contract/batch';
import { createTempDir } from '../../../support/temp-dir';
import type { TempDir } from '../../../support/temp-dir';

const lines = fc.record({
  line: fc.constant(2),
  id: fc.constant('row'),
  source: fc.constant('row.mp4'),
  workflowId: fc.constant('upload/a/batch/row'),
  status: fc.constantFrom('COMPLETED', 'FAILED', 'CANCELLED'),
  attempts: fc.integer({ min: 1, max: 3 }),
  round: fc.integer({ min: 1, max: 3 }),
  endedAt: fc.integer({ min: 0, max: 3 }).map((second) => new Date(second * 1000).toISOString()),
  orphans: fc.array(
    fc.record({ uploadId: fc.constantFrom('a', 'b', 'c'), reason: fc.constantFrom('lost', 'cancelled') }),
    { maxLength: 3 },
  ),
}) satisfies fc.Arbitrary<ResultLine>;

const line = (more: Partial<ResultLine>): ResultLine => ({
  line: 2,
  id: 'row',
  source: 'row.mp4',
  workflowId: 'upload/a/batch/row',
  status: 'COMPLETED',
  attempts: 1,
  round: 1,
  endedAt: '2026-11-20T10:00:00.000Z',
  orphans: [],
  ...more,
});

function merged(all: readonly ResultLine[]): ResultLine | undefined {
  const [first, ...others] = all;
  return first === undefined ? undefined : others.reduce(newerLine, first);
}

describe('of all lines for one row', () => {
  it('the same one counts in whatever order they are read', () => {
    fc.assert(
      fc.property(
        fc
          .array(lines, { minLength: 1, maxLength: 6 })
          .chain((all) =>
            fc.tuple(
              fc.constant(all),
              fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length }),
            ),
          ),
        ([all, shuffled]) => expect(merged(shuffled)).toEqual(merged(all)),
      ),
    );
  });

  it('every session that any of them left is reported once', () => {
    const sessionsOf = (all: readonly ResultLine[]): string[] => [
      ...new Set(all.flatMap(({ orphans }) => orphans.map(({ uploadId }) => uploadId ?? ''))),
    ];
    fc.assert(
      fc.property(fc.array(lines, { minLength: 2, maxLength: 6 }), (all) => {
        const shown = merged(all)?.orphans.map(({ uploadId }) => uploadId);
        expect(shown?.sort()).toEqual(sessionsOf(all).sort());
      }),
    );
  });

  it('a completed one counts, or else one of the newest round, with the highest number of attempts', () => {
    fc.assert(
      fc.property(fc.array(lines, { minLength: 1, maxLength: 6 }), (all) => {
        const line = merged(all);
        const isCompleted = all.some(({ status }) => status === 'COMPLETED');
        expect(line?.status === 'COMPLETED').toBe(isCompleted);
        if (!isCompleted) expect(line?.round).toBe(Math.max(...all.map(({ round }) => round)));
        expect(line?.attempts).toBe(Math.max(...all.map(({ attempts }) => attempts)));
      }),
    );
  });
});

describe('of two lines for a completed row', () => {
  it.each([
    ['of two rounds', { round: 2 }],
    ['of one round', { endedAt: '2026-11-20T10:00:01.000Z' }],
  ])('%s the first counts: the later one joined its upload', (_which, later) => {
    const first = line({ uploadId: 'first' });
    const joined = line({ ...later, uploadId: 'first', joined: true });
    expect(newerLine(first, joined)).toEqual(first);
    expect(newerLine(joined, first)).toEqual(first);
  });
});

describe('the page journal of a page', () => {
  let temp: TempDir;
  let access: FileAccess;
  let folder: FileLocation;
  beforeEach(async () => {
    temp = await createTempDir('journal');
    access = { outputRoots: [temp.path], roots: [], s3: createS3() };
    folder = { kind: 'path', path: temp.path };
  });
  afterEach(() => temp.remove());

  const write = (chunk: number, lines: readonly (ResultLine | SessionEntry)[]): Promise<void> =>
    writeLines(access, journalFile(folder, { page: 0, round: 1, writer: 'w', chunk }), lines);

  it('is empty if no row has ended', async () => {
    expect(await readJournal(access, { folder, page: 0 })).toEqual({
      lines: new Map(),
      sessions: new Map(),
    });
  });

  it('joins only the files of the page, with every text as it was written', async () => {
    // Characters of three bytes, so that any split of a file into pieces cuts one of these texts.
    const titles = ['', 'x', 'xx'].map((begin) => begin + '漢'.repeat(50_000));
    await write(
      0,
      titles.map((title, index) => line({ id: `row-${index}`, title })),
    );
    await write(1, [line({ id: 'other' })]);
    await writeLines(access, journalFile(folder, { page: 1, round: 1, writer: 'w', chunk: 0 }), [
      line({ id: 'elsewhere' }),
    ]);
    const journal = await readJournal(access, { folder, page: 0 });
    expect([...journal.lines.keys()].sort()).toEqual(['other', 'row-0', 'row-1', 'row-2']);
    expect(titles.map((title, index) => journal.lines.get(`row-${index}`)?.title === title)).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('knows the newest session of a row that is not completed, in whatever order its files are read', async () => {
    const session = (uploadId: string, second: number): SessionEntry => ({
      id: 'row',
      ...{ uploadId, fileName: 'row.mp4', fileType: 'MP4', bytes: 4 },
      notedAt: `2026-11-20T10:00:0${second}.000Z`,
    });
    await write(0, [session('second', 2), { ...session('other', 1), id: 'done' }]);
    await write(1, [session('first', 1), line({ id: 'done' })]);
    const { lines: ended, sessions } = await readJournal(access, { folder, page: 0 });
    expect([...ended.keys()]).toEqual(['done']);
    expect([...sessions]).toEqual([['row', expect.objectContaining({ uploadId: 'second' })]]);
  });

  it('knows the session that a failed row names', async () => {
    const left = { uploadId: 'left', fileName: 'row.mp4', fileType: 'MP4', bytes: 4 };
    await write(0, [line({ status: 'FAILED', ...left })]);
    const { sessions } = await readJournal(access, { folder, page: 0 });
    expect(sessions.get('row')).toEqual({ ...left, notedAt: '2026-11-20T10:00:00.000Z' });
  });

  it('reports no session as left that was completed after all', async () => {
    const orphans = ['own', 'other'].map((uploadId) => ({ uploadId, reason: 'the upload was cancelled' }));
    await write(0, [line({ status: 'CANCELLED', uploadId: 'own', orphans })]);
    await write(1, [line({ uploadId: 'own', round: 2, attempts: 2 })]);
    const [, other] = orphans;
    expect((await readJournal(access, { folder, page: 0 })).lines.get('row')).toEqual(
      line({ uploadId: 'own', round: 2, attempts: 2, orphans: other === undefined ? [] : [other] }),
    );
  });
});
