import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { buffer } from 'node:stream/consumers';
import { createS3 } from '../../../files/s3/s3-client';
import { readFileAt } from '../../../files/files';
import type { ResultLine } from '../../../temporal/batch/types';
import type { BatchHandle } from '../../../temporal/batch/client/open-batch';
import { useCredentials } from '../../support/aws-credentials';
import { expectOnce, resultLines, startRows, untilWaiting, writeRows } from '../../support/batch-fixture';
import { heldAt, KILL_MOMENTS } from '../../support/kill-point';
import type { KillPoint } from '../../support/kill-point';
import { openOwnS3 } from '../../support/own-s3';
import type { OwnS3 } from '../../support/own-s3';
import { testPool } from '../../support/pool';
import { sharedS3 } from '../../support/servers';
import { openUploadFixture } from '../../support/upload-fixture';
import { CANARIES } from './invariant';
import { reachedBefore, startHoldingWorker } from './run-controlled';
import { cellsOf, ROWS, shareOfCells } from './table';
import { HASTY_UPLOAD } from './upload-scenarios';
import { withinLimit } from './within-limit';

const AT_ONCE = 4;
const FILES = 3;
const BUCKET = 'batches';
const KEY = 'away';
/** Activities that read or write the folder of a batch. */
const USES_FOLDER: ReadonlySet<string> = new Set(['planBatch', 'uploadPage', 'endRow', 'writeResults']);
const CELLS = shareOfCells(
  cellsOf(
    ROWS.filter(({ activity }) => USES_FOLDER.has(activity)),
    KILL_MOMENTS,
  ),
);

async function makeBucket({ options: { endpoint, region = '' } }: OwnS3): Promise<void> {
  const client = new S3Client({ endpoint, region, forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  client.destroy();
}

async function resultsIn({ options: { endpoint, region = '' } }: OwnS3): Promise<ResultLine[]> {
  const s3 = createS3({ endpoint, region });
  const at = { kind: 's3', bucket: BUCKET, key: `${KEY}/results.jsonl` } as const;
  const text = (await buffer(readFileAt({ outputRoots: [], roots: [], s3 }, at))).toString('utf8');
  s3.close();
  return resultLines(text);
}

/** After the results are written, nothing needs the folder any more. */
async function untilItWaits(batch: BatchHandle, { activity, moment }: KillPoint): Promise<void> {
  if (activity === 'writeResults' && moment === 'after') return;
  const waiting = await untilWaiting(batch);
  expect(waiting).toMatchObject({ waitReason: { message: expect.stringContaining("can't be reached") } });
}

async function runWithoutS3({ workflow, activity, moment }: KillPoint): Promise<void> {
  const s3 = await openOwnS3();
  const fixture = await openUploadFixture({ simulator: { account: CANARIES } });
  const hold = heldAt({ workflow, activity, moment });
  try {
    await makeBucket(s3);
    const { endpoint, region = '' } = s3.options;
    await startHoldingWorker(fixture, hold, { s3: { endpoint, region } });
    const rows = await writeRows(fixture, KEY, FILES);
    const options = { pageRows: FILES, upload: HASTY_UPLOAD };
    const batch = await startRows(fixture, KEY, rows, {
      folder: { kind: 's3', bucket: BUCKET, key: KEY },
      options: { ...options, ...(activity === 'endRow' ? { smallFileBytes: 1 } : {}) },
    });
    const end = batch.result();
    await reachedBefore(end, hold);
    await s3.kill();
    hold.release();
    await untilItWaits(batch, { workflow, activity, moment });
    await s3.restart();
    const { counts } = await withinLimit(fixture, end);
    expect(counts).toMatchObject({ rows: FILES, completed: FILES, failed: 0 });
    expect((await resultsIn(s3)).map(({ id, status }) => [id, status])).toEqual(
      rows.map(({ id }) => [id, 'COMPLETED']),
    );
    expectOnce(fixture, rows);
  } finally {
    hold.release();
    await fixture.close();
    await s3.close();
  }
}

describe('the S3 server with the folder of a batch, which is killed', () => {
  const { accessKey, secretKey } = sharedS3();
  useCredentials(accessKey, secretKey);
  testPool(
    '$moment $activity of $workflow: the batch says so, and uploads each row once when it is back',
    CELLS,
    { atOnce: AT_ONCE, run: runWithoutS3 },
  );
});
