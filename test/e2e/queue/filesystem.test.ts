import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { watchMemory } from './support/memory';
import { openQueueStage } from './support/queue-stage';
import type { QueueStage, Sender } from './support/queue-stage';
import { randomSha256 } from './support/random-server';

const NAME = 'feature.mp4';
const BYTES = 1_000_000_000;

let on: QueueStage;
beforeAll(async () => {
  on = await openQueueStage({ env: { N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem' } });
}, 240_000);
afterAll(() => on?.close(), 60_000);

test('all', async () => {
  console.time('fetch');
  const w0 = await watchMemory(on.worker.pid);
  const binary = await on.fetchFile(NAME, BYTES);
  console.log(binary, await w0.read());
  console.timeEnd('fetch');
  for (const sender of ['n8n', 'temporal, shared folder', 'temporal, signed address'] as Sender[]) {
    const [m, w] = [await watchMemory(on.n8n.process.pid), await watchMemory(on.worker.pid)];
    const t = Date.now();
    const execution = await on.run(await on.importUpload(binary, sender, { title: 't' }));
    console.log(sender, Date.now() - t, 'main', await m.read(), 'worker', await w.read());
    console.log(execution.error, execution.output('Media Service')[0]?.json);
    expect(await on.bed.storedSha256(execution.output('Media Service')[0]?.json['uploadId'])).toBe(
      randomSha256(NAME, BYTES),
    );
  }
}, 300_000);
