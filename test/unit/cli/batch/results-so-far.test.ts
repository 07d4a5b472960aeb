import { join } from 'node:path';
import { resultsSoFar } from '../../../../cli/batch/batch-folder';
import { createS3 } from '../../../../files/s3/s3-client';
import { useTempDir } from '../../../support/use-temp-dir';

const temp = useTempDir('results-so-far');

test('reports a missing folder instead of empty results', async () => {
  const access = { roots: [], outputRoots: [temp.path], s3: createS3({}) };
  const folder = { kind: 'path', path: join(temp.path, 'gone') } as const;
  await expect(resultsSoFar({ access, folder, batchId: 'harbour' }).next()).rejects.toMatchObject({
    code: 'SourceMissing',
    message: `${folder.path} has no plan of the batch harbour.`,
  });
});
