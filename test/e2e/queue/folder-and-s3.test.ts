import type { IBinaryData } from 'n8n-workflow';
import { measuredUpload } from './support/measured-upload';
import { openBucketForN8n, putForN8n } from './support/n8n-bucket';
import { useQueueStage } from './support/queue-stage';
import type { Sender } from './support/queue-stage';
import { randomSha256 } from './support/random-server';

const NAME = 'feature.mp4';
/** More than any process may grow. */
const BYTES = Number(process.env['QUEUE_BYTES'] ?? 400_000_000);
const SIZE = `${BYTES / 1_000_000} MB`;
/**
 * MB by which each process may grow. An upload in n8n's worker has 100 MiB for its parts, and may add 200 MB in all.
 * Measured over the other cases with 400 MB and 1 GB: n8n's worker 4 to 10, Temporal's worker 0 to 80. n8n's main process
 * grows by 2 to 105, and by up to 197 on its own just after its start, whatever is uploaded. Holding the file once would
 * take all of its bytes.
 */
const GROWTH_MB = { main: 300, worker: 200, temporal: 120 } as const;

const on = useQueueStage(async () => ({
  N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem',
  ...(await openBucketForN8n()),
}));

async function expectConstantMemory(binary: IBinaryData, sender: Sender): Promise<void> {
  const { json, main, worker, temporal } = await measuredUpload(on.stage, binary, sender);
  expect(json).toMatchObject({ status: 'COMPLETED', bytes: BYTES, fileName: NAME });
  expect(await on.stage.fixture.storedSha256(json['uploadId'])).toBe(randomSha256(NAME, BYTES));
  expect(worker.growth).toBeLessThan(GROWTH_MB.worker);
  expect(main.growth).toBeLessThan(GROWTH_MB.main);
  expect(temporal.growth).toBeLessThan(GROWTH_MB.temporal);
  expect(await on.stage.leftovers()).toEqual([]);
}

describe(`in queue mode, a file of ${SIZE} in the folder that main and worker share`, () => {
  let binary: IBinaryData;
  beforeAll(async () => {
    binary = await on.stage.fetchFile(NAME, BYTES);
    expect(binary).toMatchObject({ bytes: BYTES, data: 'filesystem-v2' });
  });

  test.each<Sender>(['n8n', 'worker'])('arrives whole, in constant memory, sent by: %s', (sender) =>
    expectConstantMemory(binary, sender),
  );
});

// Writing in S3 mode requires an enterprise licence (n8n/dist/commands/base-command.js, initBinaryDataService), but
// reading does not. The test therefore stores the file as a licensed n8n would, and this n8n reads it with its own S3
// code.
describe(`in queue mode, a file of ${SIZE} that n8n keeps in S3`, () => {
  let binary: IBinaryData;
  beforeAll(async () => {
    binary = await putForN8n(NAME, BYTES);
  });

  test.each<Sender>(['n8n', 'worker'])('arrives whole, in constant memory, sent by: %s', (sender) =>
    expectConstantMemory(binary, sender),
  );
});
