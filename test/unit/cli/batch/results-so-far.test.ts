import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { createS3 } from '../../../../files/s3/s3-client';
import { resultsSoFar } from '../../../../cli/batch/batch-folder';
import type { BatchFolder } from '../../../../cli/batch/batch-folder';
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
  await expect(resultsSoFar(batchIn('gone')).next()).rejects.toMatchObject({
    code: 'SourceMissing',
    message: `${join(temp.path, 'gone')} has no plan of the batch harbour.`,
  });
});

test('a folder with the plan of the batch is accepted', async () => {
  const batch = batchIn('there');
  const plan = { accountId: 'a', batchId: 'harbour', round: 1, startedBy: 'run', pages: [] };
  await writePlan(batch.access, batch.folder, plan);
  await expect(resultsSoFar(batch).next()).resolves.toEqual({ done: true, value: undefined });
});
