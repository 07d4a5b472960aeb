import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { watchMemory } from '../support/memory';
import { useUploadFixture } from '../support/upload-fixture';
import type { UploadFixture } from '../support/upload-fixture';

const PART_BYTES = 250_000_000;
/** Measured: 4 to 54 MB above an idle worker (docs/operations/workers.md). Keeping a whole part would take 250 MB. */
const GROWTH_MB = 80;

const on = useUploadFixture({ worker: false });

/** A sparse file, since only reading and sending matter. */
async function writeHollowFile({ folder }: UploadFixture, name: string, bytes: number): Promise<string> {
  const path = join(folder, name);
  const file = await open(path, 'w');
  await file.truncate(bytes);
  await file.close();
  return path;
}

it('a worker that sends parts of 250 MB, two at once needs little more memory than an idle one', async () => {
  const { fixture } = on;
  const worker = await fixture.startWorkerProcess();
  const memory = await watchMemory(worker.pid);
  const path = await writeHollowFile(fixture, 'large.mp4', 2 * PART_BYTES);
  const handle = await fixture.start(path, { options: { partBytes: PART_BYTES, concurrency: 2 } });
  const result = await handle.result();
  expect(result.parts.map(({ bytes, verified }) => [bytes, verified])).toEqual([
    [PART_BYTES, true],
    [PART_BYTES, true],
  ]);
  const { growth } = await memory.read();
  expect(growth).toBeLessThan(GROWTH_MB);
});
