import type { IBinaryData } from 'n8n-workflow';
import { watchMemory } from '../../../support/memory';
import type { MemoryChange } from '../../../support/memory';
import type { QueueStage, Sender } from './queue-stage';
import { randomSha256 } from './random-server';

interface MeasuredUpload {
  readonly main: MemoryChange;
  /** Memory of n8n's worker. */
  readonly worker: MemoryChange;
  /** Memory of Temporal's worker. */
  readonly temporal: MemoryChange;
}

/**
 * Uploads a file of `startRandomServer` in an execution of its own on n8n's worker, and expects that it arrives whole and
 * leaves nothing behind. Returns the memory that n8n's two processes and Temporal's worker needed for the upload; another
 * execution downloaded the file before.
 */
export async function measuredUpload(
  on: QueueStage,
  binary: IBinaryData,
  sender: Sender,
): Promise<MeasuredUpload> {
  const workflow = await on.importUpload(binary, sender);
  const main = await watchMemory(on.n8n.process.pid);
  const worker = await watchMemory(on.worker.pid);
  const temporal = await watchMemory(on.fixture.workerPid);
  const execution = await on.runOnWorker(workflow);
  if (execution.error !== undefined) throw new Error(execution.error.message);
  const { fileName = '', bytes } = binary;
  const json = execution.output('Media Service')[0]?.json ?? {};
  expect(json).toMatchObject({ status: 'COMPLETED', bytes, fileName });
  expect(await on.fixture.storedSha256(json['uploadId'])).toBe(randomSha256(fileName, Number(bytes)));
  expect(await on.leftovers()).toEqual([]);
  return {
    main: await main.read(),
    worker: await worker.read(),
    temporal: await temporal.read(),
  };
}
