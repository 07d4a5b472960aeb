import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ManifestRow } from '../../../../../manifest/row';
import type { ActivityDeps } from '../../../../../temporal/worker/activity-deps';
import {
  batchFile,
  journalFile,
  rowsFile,
  writeLines,
} from '../../../../../temporal/batch/files/batch-files';
import { plannedRow } from '../../../../../temporal/batch/files/planned-row';
import { writeResults } from '../../../../../temporal/batch/activities/write-results';
import type { WrittenResults } from '../../../../../temporal/batch/activities/write-results';
import type { ResultLine } from '../../../../../temporal/batch/types';
import { NO_ROWS } from '../../../../../temporal/batch/counts';
import { sealKeysOf } from '../../../../../temporal/seal';
import { useTempDir } from '../../../../support/use-temp-dir';
import { resultLine } from '../result-line';
import { account, accountId, exampleDeps } from '../../worker/example-deps';
import { runActivity } from '../../worker/run-activity';

const endedAt = '2026-11-20T10:00:00.000Z';
const temp = useTempDir('write-results');
let deps: ActivityDeps;

beforeAll(() => {
  deps = exampleDeps(undefined, { outputRoots: [temp.path] });
});

const folderOf = (batchId: string) => ({ kind: 'path', path: join(temp.path, batchId) }) as const;
const row = (id: string, more: Partial<ManifestRow> = {}): ManifestRow => ({
  ...{ line: 2, id, source: `${id}.mp4`, media: {} },
  ...more,
});
const line = (id: string, status: ResultLine['status'], more: Partial<ResultLine> = {}): ResultLine =>
  resultLine({
    ...{ id, source: `${id}.mp4`, status, workflowId: `upload/${accountId}/films/${id}` },
    ...more,
  });

async function writeRows(batchId: string, page: number, rows: readonly ManifestRow[]): Promise<void> {
  const planned = rows.map((one) => plannedRow(one, sealKeysOf(account.secretKey)));
  await writeLines(deps.files, rowsFile(folderOf(batchId), page), planned);
}

/** The journal of a page, in a round of its own for each list. */
async function writeJournal(
  batchId: string,
  page: number,
  ...rounds: readonly ResultLine[][]
): Promise<void> {
  for (const [index, lines] of rounds.entries()) {
    const file = journalFile(folderOf(batchId), { page, round: index + 1, turn: 1, attempt: 1 }, 0);
    await writeLines(deps.files, file, lines);
  }
}

function write(batchId: string, pages: number, round = 1, skipped?: number): Promise<WrittenResults> {
  const options = { sourceFolder: '/films' };
  const input = { accountId, batchId, folder: folderOf(batchId), options, pages, round, skipped, endedAt };
  return runActivity(writeResults(deps), input);
}

const read = (batchId: string, name: string): Promise<string> =>
  readFile(join(temp.path, batchId, name), 'utf8');
const linesIn = async (batchId: string, name: string): Promise<string[]> =>
  (await read(batchId, name)).trimEnd().split('\n');

describe('the results of a batch', () => {
  it('have a line for each row, from all files of all pages, in the order of the newest manifest', async () => {
    await writeRows('joined', 0, [row('a', { line: 9 }), row('b', { line: 2 })]);
    await writeRows('joined', 1, [row('c', { line: 3 }), row('never', { line: 4 })]);
    const first = [line('a', 'COMPLETED', { bytes: 10 }), line('b', 'FAILED')];
    await writeJournal('joined', 0, first, [line('b', 'COMPLETED', { bytes: 5, round: 2, attempts: 2 })]);
    await writeJournal('joined', 1, [], [line('c', 'COMPLETED', { bytes: 1, joined: true, round: 2 })]);
    const { counts, results: files } = await write('joined', 2, 2);
    expect(counts).toEqual({ ...NO_ROWS, rows: 4, completed: 3, cancelled: 1, earlier: 2, bytes: 16 });
    const at = join(temp.path, 'joined');
    expect(files).toEqual({ jsonl: join(at, 'results.jsonl'), csv: join(at, 'results.csv') });
    const lines = (await linesIn('joined', 'results.jsonl')).map((json) => JSON.parse(json) as ResultLine);
    expect(lines.map(({ id, line, status, attempts, round }) => [id, line, status, attempts, round])).toEqual(
      [
        ['a', 9, 'COMPLETED', 1, 1],
        ['b', 2, 'COMPLETED', 2, 2],
        ['c', 3, 'COMPLETED', 1, 2],
        ['never', 4, 'CANCELLED', 0, 2],
      ],
    );
  });

  it('end with the wrong rows that the batch skipped, and count them', async () => {
    await writeRows('skips', 0, [row('a')]);
    await writeJournal('skips', 0, [line('a', 'COMPLETED')]);
    const skipped = batchFile(folderOf('skips'), 'skipped.jsonl');
    await writeLines(deps.files, skipped, [line('line-3', 'FAILED', { attempts: 0 })]);
    const { counts, results } = await write('skips', 1, 1, 1);
    expect(counts).toMatchObject({ rows: 2, completed: 1, failed: 1 });
    expect(results.failed).toBeUndefined();
    const ids = (await read('skips', 'results.jsonl')).matchAll(/"id":"([^"]+)"/g);
    expect([...ids].map(([, id]) => id)).toEqual(['a', 'line-3']);
  });

  it('contain the failed rows of every page as a manifest, until none has failed', async () => {
    const address = 'https://cdn.example/d/c.mp4?X-Amz-Signature=s&x=1';
    const tags = { project: 'apollo' };
    await writeRows('failing', 0, [row('a'), row('b', { media: { tags, title: '=SUM(1)' } }), row('ok')]);
    await writeRows('failing', 1, [row('c', { source: address }), row('d', { source: '/elsewhere/d.mp4' })]);
    const first = [line('a', 'FAILED'), line('b', 'FAILED'), line('ok', 'COMPLETED')];
    const second = [line('c', 'FAILED'), line('d', 'FAILED')];
    await writeJournal('failing', 0, first);
    await writeJournal('failing', 1, second);
    const { counts, results: files } = await write('failing', 2);
    expect(counts).toMatchObject({ rows: 5, completed: 1, failed: 4 });
    expect(files.failed).toBe(join(temp.path, 'failing', 'failed.csv'));
    expect(await linesIn('failing', 'failed.csv')).toEqual([
      'source,title,fileType,metadata,creator,resolution,duration,isLibrary,includeInReport,id,tags.project',
      '/films/a.mp4,,,,,,,,,a,',
      '/films/b.mp4,=SUM(1),,,,,,,,b,apollo',
      `${address},,,,,,,,,c,`,
      '/elsewhere/d.mp4,,,,,,,,,d,',
    ]);
    expect(await read('failing', 'results.jsonl')).not.toContain('X-Amz-Signature');
    const healed = ['a', 'b', 'c', 'd'].map((id) => line(id, 'COMPLETED', { round: 2 }));
    await writeJournal('failing', 0, first, healed.slice(0, 2));
    await writeJournal('failing', 1, second, healed.slice(2));
    expect((await write('failing', 2, 2)).results.failed).toBeUndefined();
    await expect(read('failing', 'failed.csv')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('as a table begin with a byte order mark, and show as text what looks like a formula', async () => {
    const titles = ['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx', 'a=b'];
    const ids = titles.map((_title, index) => `r${index}`);
    await writeRows(
      'table',
      0,
      ids.map((id) => row(id)),
    );
    await writeJournal(
      'table',
      0,
      titles.map((title, index) => line(`r${index}`, 'COMPLETED', { title })),
    );
    await write('table', 1);
    const [header = '', ...records] = (await read('table', 'results.csv')).split(/\n(?=2,)/);
    expect(header.startsWith('\ufeffline,id,source,status,joined,title,')).toBe(true);
    const shown = ["'=1+1", "'+1", "'-1", "'@SUM(A1)", '"\'\tx"', '"\'\rx"', 'a=b'];
    expect(records.map((record) => record.split(',')[5])).toEqual(shown);
  });

  it('as a table leave numbers unchanged, and name every session that is left', async () => {
    const orphans = [{ uploadId: 'u', mediaId: 'm', reason: 'lost' }, { reason: 'may exist' }];
    await writeRows('plain', 0, [row('a')]);
    await writeJournal('plain', 0, [line('a', 'CANCELLED', { title: 'A', bytes: -1, orphans })]);
    await write('plain', 1);
    const [, record] = await linesIn('plain', 'results.csv');
    expect(record).toBe(
      `2,a,a.mp4,CANCELLED,,A,,,,,-1,,1,,,,,,"u/m (lost); may exist",,upload/${accountId}/films/a,,1,${endedAt}`,
    );
  });
});
