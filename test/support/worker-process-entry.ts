import { json } from 'node:stream/consumers';
import { runWorker } from '../../temporal/worker/run-worker';
import type { WorkerConfig } from '../../temporal/worker/worker-config';

interface Order {
  readonly config: WorkerConfig;
  readonly codePath: string;
}

function isOrder(value: unknown): value is Order {
  return typeof value === 'object' && value !== null && 'config' in value && 'codePath' in value;
}

/** A worker that reads its settings from standard input, says when it polls, and ends in order at SIGTERM. */
async function main(): Promise<void> {
  const order: unknown = await json(process.stdin);
  if (!isOrder(order)) throw new Error('The worker process got no settings.');
  const stopping = new AbortController();
  process.once('SIGTERM', () => stopping.abort());
  await runWorker(order.config, {
    signal: stopping.signal,
    onReady: () => process.stdout.write('ready\n'),
    workflowBundle: { codePath: order.codePath },
  });
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
