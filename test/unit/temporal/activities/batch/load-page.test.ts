import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ManifestRow } from '../../../../../manifest/row';
import type { ActivityDeps } from '../../../../../temporal/activities/context/activity-deps';
import { loadPage, type LoadedPage } from '../../../../../temporal/activities/batch/load-page';
import { journalFile, rowsFile } from '../../../../../temporal/batch/batch-files';
import { writeLines } from '../../../../../temporal/batch/line-files';
import { plannedRow } from '../../../../../temporal/batch/planned-row';
import { NO_ROWS } from '../../../../../temporal/contract/batch-counts';
import { sealKeysOf } from '../../../../../temporal/seal';
import { useTempDir } from '../../../../support/use-temp-dir';
import { account, accountId, exampleDeps } from '../example-deps';
import { runActivity } from '../run-activity';

const folder = useTempDir('load-page');
let deps: ActivityDeps;

beforeAll(() => {
  deps = exampleDeps(undefined, { outputRoots: [folder.path] });
});

async function load(rows: readonly ManifestRow[]): Promise<LoadedPage> {
  await plan(folder.path, rows);
  return loadFrom(folder.path);
}

async function plan(path: string, rows: readonly ManifestRow[]): Promise<void> {
  const planned = rows.map((row) => plannedRow(row, sealKeysOf(account.secretKey)));
  await writeLines(deps.files, rowsFile({ kind: 'path', path }, 0), planned);
}

/** Plans a row for each id. */
function planFilms(path: string, ids: readonly string[]): Promise<void> {
  return plan(
    path,
    ids.map((id, index) => ({ line: index + 2, id, source: `/films/${id}.mp4`, media: {} })),
  );
}

function writeJournal(path: string, round: number, lines: readonly object[]): Promise<void> {
  const at = { page: 0, round, writer: 'w', chunk: 0 };
  return writeLines(deps.files, journalFile({ kind: 'path', path }, at), lines);
}

function loadFrom(path: string, retryFailed = false, losses = 0): Promise<LoadedPage> {
  const input = {
    accountId,
    queuePrefix: 'p',
    batchId: 'films',
    folder: { kind: 'path', path } as const,
    options: { bytesPerSecond: 1_000_000, upload: { concurrency: 2 } },
    page: 0,
    round: 1,
    retryFailed,
    losses,
  };
  return runActivity(loadPage(deps), input);
}

describe('a page that is loaded', () => {
  it('shows no query of an address, and seals the address for the upload', async () => {
    const source = 'https://cdn.example/films/a.mp4?X-Amz-Signature=canary';
    const loaded = await load([{ line: 2, id: 'a', source, media: {} }]);
    expect(JSON.stringify(loaded)).not.toContain('canary');
    expect(loaded.rows).toMatchObject([
      {
        source: 'https://cdn.example/a.mp4',
        upload: { input: { source: { kind: 'http', url: { keyId: expect.any(String) } } } },
      },
    ]);
  });

  it('names each file in the results as the manifest does, with its folders', async () => {
    const sources = [
      '/films/dawn/take1.mp4',
      '/films/dusk/take1.mp4',
      's3://films/dawn/take1.mp4',
      'gone.mp4',
    ];
    const loaded = await load(
      sources.map((source, index) => ({ line: index + 2, id: String(index), source, media: {} })),
    );
    expect(loaded.rows.map(({ source }) => source)).toEqual(sources);
  });

  it('makes all uploads share the bandwidth of the batch', async () => {
    const { shared } = await load([{ line: 2, id: 'a', source: '/films/a.mp4', media: {} }]);
    expect(shared?.options).toEqual({
      concurrency: 2,
      bytesPerSecond: 1_000_000,
      bandwidthGroup: `${accountId}/films`,
    });
  });

  it("reports why a row can't be uploaded, and returns the others", async () => {
    const { rows, counts } = await load([
      { line: 2, id: 'a', source: 'relative.mp4', media: {} },
      { line: 3, id: 'b', source: '/films/b.mp4', media: {} },
    ]);
    expect(rows.map(({ error }) => error?.code)).toEqual(['Validation', undefined]);
    expect(counts).toMatchObject({ rows: 2, waiting: 2 });
  });

  it.each([
    ['this one', false, []],
    ['this one, when failed rows must be tried again', true, []],
    ['an earlier one, when they must be tried again', true, [['failed', 3]]],
  ])('skips completed rows, and selects rows that failed in %s: %j', async (_round, retryFailed, failed) => {
    const path = join(folder.path, `round-${String(failed.length)}`);
    await planFilms(path, ['done', 'failed', 'cancelled', 'new']);
    // The page is loaded in round 1, in which no earlier upload is looked up.
    const round = failed.length === 0 ? 1 : 0;
    const known = { round, orphans: [], endedAt: '2026-11-20T10:00:00.000Z', source: '' };
    await writeJournal(path, round, [
      { ...known, line: 2, id: 'done', status: 'COMPLETED', attempts: 1, bytes: 9 },
      { ...known, line: 3, id: 'failed', status: 'FAILED', attempts: 3 },
      { ...known, line: 4, id: 'cancelled', status: 'CANCELLED', attempts: 2 },
    ]);
    const { rows, counts } = await loadFrom(path, retryFailed);
    expect(rows.map(({ id, attempts }) => [id, attempts])).toEqual([...failed, ['cancelled', 2], ['new', 0]]);
    expect(counts).toEqual({
      ...NO_ROWS,
      ...{ rows: 4, completed: 1, bytes: 9, waiting: rows.length },
      ...(failed.length === 0 ? { failed: 1 } : { earlier: 1 }),
    });
  });

  it.each([
    ['was cancelled before the answer of its start', 0, ['pending']],
    ['has neither a result nor a session in a page that was lost', 1, ['pending', 'new']],
  ])('searches before the start of a row that %s', async (_which, losses, expected) => {
    const path = join(folder.path, `pending-${String(losses)}`);
    await planFilms(path, ['pending', 'begun', 'cancelled', 'new']);
    const endedAt = '2026-11-20T10:00:00.000Z';
    const known = { round: 1, orphans: [], endedAt, source: '', status: 'CANCELLED', attempts: 1 };
    const session = { uploadId: 'upload-1', fileName: 'begun.mp4', fileType: 'MP4', bytes: 9 };
    await writeJournal(path, 1, [
      { ...known, line: 2, id: 'pending', startPending: true },
      { id: 'begun', ...session, notedAt: endedAt },
      { ...known, line: 4, id: 'cancelled' },
    ]);
    const { rows } = await loadFrom(path, false, losses);
    const searched = rows.filter(({ upload }) => upload?.input.startPending === true);
    expect(searched.map(({ id }) => id)).toEqual(expected);
    expect(rows.find(({ id }) => id === 'begun')?.upload?.input.earlier).toEqual(session);
  });

  it('is retried if a row was sealed with a key that another worker may have', async () => {
    const source = 'https://cdn.example/films/a.mp4?X-Amz-Signature=canary';
    const path = join(folder.path, 'rotated');
    const planned = plannedRow({ line: 2, id: 'a', source, media: {} }, sealKeysOf('the next secret key'));
    await writeLines(deps.files, rowsFile({ kind: 'path', path }, 0), [planned]);
    await expect(loadFrom(path)).rejects.toMatchObject({
      type: 'Configuration',
      message: expect.stringContaining(sealKeysOf('the next secret key').current.id),
      nonRetryable: false,
    });
  });

  it('is retried if its folder is away, since it can come back', async () => {
    await expect(loadFrom(join(folder.path, 'unmounted'))).rejects.toMatchObject({
      message: expect.stringContaining('does not exist'),
      nonRetryable: false,
    });
  });
});
