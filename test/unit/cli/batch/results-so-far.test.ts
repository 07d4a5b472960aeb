import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { join } from 'node:path';
import { createS3 } from '../../../../files/s3/s3-client';
import { requirePlan, type BatchFolder } from '../../../../cli/batch/results-so-far';
import { writePlan } from '../../../../temporal/batch/stored-plan';
import { createTempDir, type TempDir } from '../../../support/temp-dir';

const s3 = createS3({});
let temp: TempDir;
beforeAll(async () => {
  temp = await createTempDir('results-so-far');
});
afterAll(async () => {
  s3.close();
  await temp.remove();
});

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
  const plan = { batchId: 'harbour', round: 1, startedBy: 'run', pages: [] };
  await writePlan(batch.access, batch.folder, plan);
  await expect(requirePlan(batch)).resolves.toBeUndefined();
});
