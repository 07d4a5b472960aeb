import fc from 'fast-check';
import { createS3 } from '../../../../../files/s3/s3-client';
import type { FileLocation } from '../../../../../files/file-location';
import { writeFileAt } from '../../../../../files/files';
import type { FileAccess } from '../../../../../files/output-path';
import { journalFile, rowsFile, writeLines } from '../../../../../temporal/batch/files/batch-files';
import type { JournalSegment } from '../../../../../temporal/batch/files/batch-files';
import { newerLine, readPage } from '../../../../../temporal/batch/files/page-journal';
import type { JournalLine, PageRow } from '../../../../../temporal/batch/files/page-journal';
import type { ResultLine } from '../../../../../temporal/batch/types';
import { useTempDir } from '../../../../support/use-temp-dir';
import { resultLine as line } from '../result-line';

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

function merged(all: readonly ResultLine[]): ResultLine | undefined {
  const [first, ...others] = all;
  return first === undefined ? undefined : others.reduce(newerLine, first);
}

describe('of all lines for one row', () => {
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

  it('the first completed one counts, or else the last, with the highest number of attempts', () => {
    fc.assert(
      fc.property(fc.array(lines, { minLength: 1, maxLength: 6 }), (all) => {
        const line = merged(all);
        const { endedAt, round } = all.find(({ status }) => status === 'COMPLETED') ?? all.at(-1) ?? {};
        expect(line).toMatchObject({ endedAt, round });
        expect(line?.attempts).toBe(Math.max(...all.map(({ attempts }) => attempts)));
      }),
    );
  });
});

describe('the page journal of a page', () => {
  const temp = useTempDir('journal', 'test');
  let access: FileAccess;
  let folder: FileLocation;
  beforeEach(async () => {
    access = { outputRoots: [temp.path], roots: [], s3: createS3() };
    folder = { kind: 'path', path: temp.path };
    const ids = ['row', 'other', 'elsewhere', 'row-0', 'row-1', 'row-2'];
    const planned = ids.map((id) => ({ digest: id, row: { line: 2, id, source: 'row.mp4', media: {} } }));
    await writeLines(access, rowsFile(folder, 0), planned);
  });

  const segment = { page: 0, round: 1, turn: 1, attempt: 1 };
  const write = (
    lines: readonly JournalLine[],
    { commit = 0, ...more }: Partial<JournalSegment> & { readonly commit?: number } = {},
  ): Promise<void> => writeLines(access, journalFile(folder, { ...segment, ...more }, commit), lines);
  const page = (): Promise<PageRow[]> => readPage(access, { folder, page: 0 });
  const ended = async (): Promise<ResultLine[]> => (await page()).flatMap(({ result }) => result ?? []);
  const rowNow = async (): Promise<PageRow | undefined> =>
    (await page()).find(({ planned }) => planned.row.id === 'row');
  const SESSION = { fileName: 'row.mp4', fileType: 'MP4', bytes: 4, partBytes: 4 };
  const session = (uploadId: string) => ({ uploadId, ...SESSION });

  it('is empty if no row has ended', async () => {
    expect(await rowNow()).toMatchObject({ page: 0, left: [] });
    expect(await ended()).toEqual([]);
  });

  it('joins only the files of the page, with every text as it was written', async () => {
    // Characters of three bytes, so that any split of a file into pieces cuts one of these texts.
    const titles = ['', 'x', 'xx'].map((begin) => begin + '漢'.repeat(50_000));
    await write(titles.map((title, index) => line({ id: `row-${index}`, title })));
    await write([line({ id: 'other' })], { attempt: 2 });
    await write([line({ id: 'elsewhere' })], { page: 1 });
    const [other, ...read] = await ended();
    expect([other, ...read].map((one) => one?.id)).toEqual(['other', 'row-0', 'row-1', 'row-2']);
    expect(read.every(({ title }, index) => title === titles[index])).toBe(true);
  });

  it.each([
    ['round', { turn: 2, attempt: 2, commit: 1 }, { round: 2 }],
    ['activity', { attempt: 2, commit: 1 }, { turn: 2 }],
    ['attempt', { attempt: 9, commit: 1 }, { attempt: 10 }],
    ['commit', { commit: 9 }, { commit: 10 }],
  ])('knows the newest session by its %s, in whatever order its files came', async (_by, earlier, later) => {
    await write([{ id: 'row', session: session('second') }], later);
    await write([{ id: 'row', session: session('first') }], earlier);
    expect(await rowNow()).toMatchObject({ session: session('second'), left: [{ uploadId: 'first' }] });
  });

  it('knows the session that a failed row names, and none of a completed row', async () => {
    await write([line({ status: 'FAILED', ...session('left') })]);
    expect((await rowNow())?.session).toEqual(session('left'));
    await write([line({ uploadId: 'left' })], { attempt: 2 });
    expect((await rowNow())?.session).toBeUndefined();
    await write([{ id: 'row', session: session('late') }], { attempt: 3 });
    expect((await rowNow())?.session).toBeUndefined();
  });

  it('forgets result and session of a row whose file changed, and knows under which name it is sent again', async () => {
    const changed = { as: 'row-2', replaces: 'm-1' };
    await write([line({ uploadId: 'old' }), { id: 'row', changed }]);
    const row = await rowNow();
    expect([row?.changed, row?.result, row?.session]).toEqual([changed, undefined, undefined]);
    await write([{ id: 'row', session: session('new') }], { attempt: 2 });
    expect(await rowNow()).toMatchObject({ changed, session: session('new'), left: [] });
  });

  it('knows a row that is still processed, until it has ended', async () => {
    const { status: _status, endedAt: _endedAt, ...known } = line({ uploadId: 'u' });
    const processing = { completedAt: 5, line: known };
    await write([{ starting: ['row'] }, { id: 'row', session: session('u') }, { id: 'row', processing }]);
    expect(await rowNow()).toMatchObject({ processing, session: session('u'), startPending: undefined });
    await write([line({ uploadId: 'u' })], { attempt: 2 });
    expect((await rowNow())?.processing).toBeUndefined();
  });

  it('reports no session as left that was completed after all', async () => {
    const orphans = ['own', 'other'].map((uploadId) => ({ uploadId, reason: 'the upload was cancelled' }));
    await write([line({ status: 'CANCELLED', uploadId: 'own', orphans })]);
    expect((await rowNow())?.result?.orphans).toEqual(orphans);
    await write([line({ uploadId: 'own', round: 2, attempts: 2 })], { round: 2 });
    const completed = line({ uploadId: 'own', round: 2, attempts: 2, orphans: orphans.slice(1) });
    expect((await rowNow())?.result).toEqual(completed);
  });

  it('names with the result every session that lost attempts left: one that was replaced, and one of a lost answer', async () => {
    const lost = { uploadId: 'lost', reason: 'the answer to start was lost' };
    await write([{ starting: ['row'] }, { id: 'row', session: session('first') }]);
    await write([{ id: 'row', session: session('second'), orphans: [lost] }], { attempt: 2 });
    const left = [lost, { uploadId: 'first', reason: 'an earlier run of this upload left it' }];
    expect(await rowNow()).toMatchObject({ session: session('second'), left });
    await write([line({ uploadId: 'second' })], { attempt: 3 });
    expect(await rowNow()).toMatchObject({ result: { uploadId: 'second', orphans: left }, left: [] });
  });

  it.each<[string, readonly JournalLine[], true | undefined]>([
    ['named before its start, and not since', [{ starting: ['row'] }], true],
    ['that was not started after all', [{ starting: ['row'] }, { unstarted: ['row'] }], undefined],
    ['whose session is known', [{ starting: ['row'] }, { id: 'row', session: session('s') }], undefined],
    ['that ended', [{ starting: ['row'] }, line({ status: 'FAILED' })], undefined],
  ])('knows that the start of a row %s may be on its way, or not', async (_which, lines, expected) => {
    await write(lines);
    expect((await rowNow())?.startPending).toBe(expected);
  });

  it('leaves out half a line at the end of a file, which a crash left, and lines of rows that are not in the page', async () => {
    const file = journalFile(folder, segment, 0);
    const whole = [{ of: 'somebody else' }, line({ id: 'foreign' }), line({ id: 'row' })];
    const half = JSON.stringify(line({ id: 'other' })).slice(0, 40);
    await writeFileAt(access, file, whole.map((one) => `${JSON.stringify(one)}\n`).join('') + half);
    expect((await ended()).map(({ id }) => id)).toEqual(['row']);
  });

  it('is refused with a broken line before its end, as somebody else wrote it', async () => {
    await writeFileAt(access, journalFile(folder, segment, 0), `no JSON\n${JSON.stringify(line({}))}\n`);
    await expect(rowNow()).rejects.toMatchObject({
      code: 'Internal',
      message: expect.stringContaining('pages'),
    });
  });
});
