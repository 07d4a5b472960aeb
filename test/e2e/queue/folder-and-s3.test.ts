import { beforeAll, describe, expect, test } from '@jest/globals';
import type { IBinaryData } from 'n8n-workflow';
import { measuredUpload } from './support/measured-upload';
import { openBucketForN8n, putForN8n } from './support/n8n-bucket';
import { useQueueStage } from './support/queue-stage';
import type { Sender } from './support/queue-stage';
import { randomSha256 } from './support/random-server';

const NAME = 'feature.mp4';
const BYTES = 1_000_000_000;
/** Shortly after its start a process grows by itself, whatever it does; one that held the file would grow by twice this, MB. */
const CONSTANT_MB = 500;

const on = useQueueStage({
  env: { N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem' },
  envOf: ({ s3 }) => openBucketForN8n(s3),
});

async function expectConstantMemory(binary: IBinaryData, sender: Sender): Promise<void> {
  const { json, main, worker, temporal } = await measuredUpload(on.stage, binary, sender);
  expect(json).toMatchObject({ status: 'COMPLETED', bytes: BYTES, fileName: NAME });
  expect(await on.stage.bed.storedSha256(json['uploadId'])).toBe(randomSha256(NAME, BYTES));
  expect(worker.growth).toBeLessThan(CONSTANT_MB);
  expect(main.growth).toBeLessThan(CONSTANT_MB);
  expect(temporal.growth).toBeLessThan(CONSTANT_MB);
  expect(await on.stage.leftovers()).toEqual([]);
}

describe('in queue mode a file of 1 GB that n8n keeps in the folder of main and worker', () => {
  let binary: IBinaryData;
  beforeAll(async () => {
    binary = await on.stage.fetchFile(NAME, BYTES);
    expect(binary).toMatchObject({ bytes: BYTES, data: 'filesystem-v2' });
  });

  test.each<Sender>(['n8n', 'temporal, shared folder', 'temporal, signed address'])(
    'arrives whole, in constant memory, sent by: %s',
    (sender) => expectConstantMemory(binary, sender),
  );
});

// Writing in S3 mode needs an enterprise licence (n8n/dist/commands/base-command.js, initBinaryDataService); reading does not, so
// the file is put where such an n8n has put it, and this n8n reads it with its own S3 code.
describe('in queue mode a file of 1 GB that n8n keeps in S3', () => {
  let binary: IBinaryData;
  beforeAll(async () => {
    binary = await putForN8n(on.stage.bed.s3, NAME, BYTES);
  });

  test.each<Sender>(['n8n', 'temporal, signed address'])(
    'arrives whole, in constant memory, sent by: %s',
    (sender) => expectConstantMemory(binary, sender),
  );
});
