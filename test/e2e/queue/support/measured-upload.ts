import type { IBinaryData, IDataObject } from 'n8n-workflow';
import { watchMemory } from '../../../support/memory';
import type { MemoryChange } from '../../../support/memory';
import type { QueueStage, Sender } from './queue-stage';

export interface MeasuredUpload {
  readonly json: IDataObject;
  readonly main: MemoryChange;
  /** Memory of n8n's worker. */
  readonly worker: MemoryChange;
  /** Memory of Temporal's worker. */
  readonly temporal: MemoryChange;
}

/**
 * Uploads binary data in an execution of its own on n8n's worker. Returns the memory that n8n's two processes and
 * Temporal's worker needed for the upload; another execution downloaded the file before.
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
  const json = execution.output('Media Service')[0]?.json ?? {};
  return {
    json,
    main: await main.read(),
    worker: await worker.read(),
    temporal: await temporal.read(),
  };
}
