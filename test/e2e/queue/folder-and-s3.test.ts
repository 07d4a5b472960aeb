import type { IBinaryData } from 'n8n-workflow';
import { measuredUpload } from './support/measured-upload';
import { openBucketForN8n, putForN8n } from './support/n8n-bucket';
import { useQueueStage } from './support/queue-stage';
import type { Sender } from './support/queue-stage';

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

const fetchFile = (name: string, bytes: number): Promise<IBinaryData> => on.fetchFile(name, bytes);

// Writing in S3 mode requires an enterprise licence (n8n/dist/commands/base-command.js, initBinaryDataService), but
// reading does not. The test therefore stores the file as a licensed n8n would, and this n8n reads it with its own S3
// code.
describe.each([
  { where: 'in the folder that main and worker share', data: 'filesystem-v2', store: fetchFile },
  { where: 'that n8n keeps in S3', data: 's3', store: putForN8n },
])(`in queue mode, a file of ${SIZE} $where`, ({ data, store }) => {
  let binary: IBinaryData;
  beforeAll(async () => {
    binary = await store(NAME, BYTES);
    expect(binary).toMatchObject({ bytes: BYTES, data });
  });

  test.each<Sender>(['n8n', 'worker'])('arrives whole, in constant memory, sent by: %s', async (sender) => {
    const { main, worker, temporal } = await measuredUpload(on, binary, sender);
    expect(worker.growth).toBeLessThan(GROWTH_MB.worker);
    expect(main.growth).toBeLessThan(GROWTH_MB.main);
    expect(temporal.growth).toBeLessThan(GROWTH_MB.temporal);
  });
});
