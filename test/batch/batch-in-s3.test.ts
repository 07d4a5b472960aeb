import { buffer } from 'node:stream/consumers';
import { createS3 } from '../../files/s3/s3-client';
import type { FileLocation } from '../../files/file-location';
import { listFilesAt, readFileAt } from '../../files/files';
import type { BatchHandle } from '../../temporal/batch/client/open-batch';
import { completedTitles, resultLines, startRows } from '../support/batch-fixture';
import { useBucket } from '../support/s3-bucket';
import { useUploadFixture } from '../support/upload-fixture';

const bucket = useBucket();
const s3 = createS3(bucket.settings);
const access = { outputRoots: [], roots: [], s3 };
/** This worker neither reads nor writes files of its machine. */
const on = useUploadFixture({ worker: false });
beforeAll(async () => {
  await Promise.all([import('@aws-sdk/client-s3'), import('@aws-sdk/lib-storage')]);
  await on.fixture.startWorker({ s3: bucket.settings, roots: [], outputRoots: [] });
});
afterAll(() => s3.close());

const ROWS = 7;

function at(key: string): FileLocation {
  return { kind: 's3', bucket: bucket.name, key };
}

async function textAt(key: string): Promise<string> {
  return (await buffer(readFileAt(access, at(key)))).toString('utf8');
}

async function keysUnder(folder: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { location } of listFilesAt(access, at(folder))) {
    if (location.kind === 's3') keys.push(location.key.slice(folder.length + 1));
  }
  return keys;
}

/** Starts the manifest at a key as the batch whose folder has the same name. */
function startManifest(batchId: string, key: string, retryFailed = false): Promise<BatchHandle> {
  const source = { kind: 's3', bucket: bucket.name, key } as const;
  return startRows(on.fixture, batchId, [], {
    manifest: { source, format: 'csv' },
    folder: { kind: 's3', bucket: bucket.name, key: `batches/${batchId}` },
    retryFailed,
    options: { parallelUploads: 4, pageRows: 3 },
  });
}

it('a batch whose manifest, files and folder are all in S3 reads the manifest and files there, writes its pages, journals and results there, and retries failed rows', async () => {
  const rows = Array.from({ length: ROWS }, (_, number) => `s3://${bucket.name}/in/film-${number}.mp4`);
  const manifest = rows.map((source, number) => `${source},Film ${number},r${number}\r\n`).join('');
  await bucket.put('manifests/films.csv', `source,title,id\r\n${manifest}`, 'text/csv');
  for (const number of [0, 1, 2, 3, 5, 6])
    await bucket.put(`in/film-${number}.mp4`, `film ${number} ${'x'.repeat(1_000 + number)}`);

  const { counts, results } = await (await startManifest('films', 'manifests/films.csv')).result();
  expect(counts).toMatchObject({ rows: ROWS, completed: ROWS - 1, failed: 1, running: 0, waiting: 0 });
  expect(results).toEqual({
    jsonl: `s3://${bucket.name}/batches/films/results.jsonl`,
    csv: `s3://${bucket.name}/batches/films/results.csv`,
    failed: `s3://${bucket.name}/batches/films/failed.csv`,
  });
  const lines = resultLines(await textAt('batches/films/results.jsonl'));
  expect(lines.map(({ id, source }) => [id, source])).toEqual(
    rows.map((source, number) => [`r${number}`, source]),
  );
  expect(lines.filter(({ status }) => status === 'FAILED')).toMatchObject([
    { id: 'r4', error: { code: 'SourceMissing' } },
  ]);
  expect(lines[3]?.bytes).toBe('film 3 '.length + 1_003);
  const keys = await keysUnder('batches/films');
  expect(keys).toEqual(
    expect.arrayContaining(['plan.json', 'rows/000000.jsonl', 'rows/000001.jsonl', 'rows/000002.jsonl']),
  );
  expect(keys.filter((key) => key.startsWith('pages/')).map((key) => key.slice(0, 12))).toEqual(
    expect.arrayContaining(['pages/000000', 'pages/000001', 'pages/000002']),
  );
  const csv = await textAt('batches/films/results.csv');
  expect(csv.trimEnd().split('\n')).toHaveLength(ROWS + 1);
  expect(await textAt('batches/films/failed.csv')).toContain(`s3://${bucket.name}/in/film-4.mp4`);

  await bucket.put('in/film-4.mp4', 'film 4');
  const again = await (await startManifest('films', 'manifests/films.csv', true)).result();
  expect(again.counts).toMatchObject({ rows: ROWS, completed: ROWS, failed: 0, earlier: ROWS - 1 });
  expect(again.results.failed).toBeUndefined();
  expect(await keysUnder('batches/films')).not.toContain('failed.csv');
  expect([...completedTitles(on.fixture)].sort()).toEqual(rows.map((_, number) => [`Film ${number}`, 1]));
});
