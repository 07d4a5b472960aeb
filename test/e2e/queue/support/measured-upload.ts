import { appendFile } from 'node:fs/promises';
import type { IBinaryData, IDataObject } from 'n8n-workflow';
import { watchMemory } from './memory';
import type { MemoryCourse } from './memory';
import type { QueueStage, Sender } from './queue-stage';

export interface MeasuredUpload {
  readonly json: IDataObject;
  readonly seconds: number;
  readonly main: MemoryCourse;
  /** Of n8n's worker. */
  readonly worker: MemoryCourse;
}

/**
 * Uploads binary data in an execution of its own on n8n's worker, and says what the two processes of n8n needed for that alone: fetching the
 * file was another execution. Where MEDIA_SERVICE_QUEUE_FIGURES names a file, a line with the figures is added to it.
 */
export async function measuredUpload(
  on: QueueStage,
  binary: IBinaryData,
  sender: Sender,
): Promise<MeasuredUpload> {
  const workflow = await on.importUpload(binary, sender, { title: sender });
  const [main, worker] = [await watchMemory(on.n8n.process.pid), await watchMemory(on.worker.pid)];
  const startedAt = performance.now();
  const execution = await on.run(workflow);
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  if (execution.error !== undefined) throw new Error(execution.error.message);
  const json = execution.output('Media Service')[0]?.json ?? {};
  const measured = { json, seconds, main: await main.read(), worker: await worker.read() };
  await keepFigures({ mode: binary.data, bytes: binary.bytes, sender, ...measured, json: undefined });
  return measured;
}

async function keepFigures(figures: object): Promise<void> {
  const file = process.env['MEDIA_SERVICE_QUEUE_FIGURES'];
  if (file !== undefined) await appendFile(file, `${JSON.stringify(figures)}\n`);
}
