import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createS3 } from '../../../../files/s3/s3-client';
import { countsSoFar, requirePlan } from '../../../../cli/batch/batch-folder';
import type { BatchFolder } from '../../../../cli/batch/batch-folder';
import { journalFile, rowsFile, writeLines } from '../../../../temporal/batch/files/batch-files';
import { writePlan } from '../../../../temporal/batch/files/stored-plan';
import { useTempDir } from '../../../support/use-temp-dir';

const s3 = createS3({});
const temp = useTempDir('results-so-far');
afterAll(() => s3.close());

function batchIn(name: string): BatchFolder {
  const access = { roots: [], outputRoots: [temp.path], s3 };
  return { access, folder: { kind: 'path', path: join(temp.path, name) }, batchId: 'harbour' };
}

test('reports a missing folder instead of empty results', async () => {
  await expect(requirePlan(batchIn('gone'))).rejects.toMatchObject({
    code: 'SourceMissing',
    message: `${join(temp.path, 'gone')} has no plan of the batch harbour.`,
  });
});

test('a folder with the plan of the batch is accepted', async () => {
  const batch = batchIn('there');
  const plan = { accountId: 'a', batchId: 'harbour', round: 1, startedBy: 'run', pages: [] };
  await writePlan(batch.access, batch.folder, plan);
  await expect(requirePlan(batch)).resolves.toBeUndefined();
});

describe('the counts from the folder', () => {
  let batch: BatchFolder;
  beforeAll(async () => {
    batch = batchIn('harbour');
    const { access, folder, batchId } = batch;
    const ends = [
      ['done', 'COMPLETED', 1],
      ['cancelled', 'CANCELLED', 1],
      ['failed', 'FAILED', 1],
      ['cancelled-now', 'CANCELLED', 2],
    ] as const;
    const pages = [{ rows: ends.length, digest: 'd', round: 1 }];
    await writePlan(access, folder, { accountId: 'a', batchId, round: 2, startedBy: 'run', pages });
    const rows = ends.map(([id], line) => ({
      row: { id, line, source: `${id}.mp4`, media: {} },
      digest: id,
    }));
    await writeLines(access, rowsFile(folder, 0), rows);
    const known = { bytes: 5, attempts: 1, orphans: [], endedAt: '2026-11-25T12:00:00.000Z' };
    const results = ends.map(([id, status, round], line) => ({
      ...{ id, line, source: `${id}.mp4`, status, round },
      ...known,
    }));
    const journal = journalFile(folder, { page: 0, round: 1, losses: 0, turn: 1, attempt: 1 }, 0);
    await writeLines(access, journal, results);
  });

  test('rows that an earlier round cancelled wait in the next one', async () => {
    const counts = { rows: 4, completed: 1, earlier: 1, failed: 1, cancelled: 1, waiting: 1 };
    await expect(countsSoFar(batch)).resolves.toMatchObject(counts);
  });

  test('rows that an earlier round failed wait if this one retries them', async () => {
    await expect(countsSoFar(batch, { retryFailed: true })).resolves.toMatchObject({ failed: 0, waiting: 2 });
  });
});
