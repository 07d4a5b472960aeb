import { json } from 'node:stream/consumers';
import { runGateway } from '../../gateway/run-gateway';
import type { GatewayConfig } from '../../gateway/gateway-config';
import { runWorker } from '../../temporal/worker/run-worker';
import type { WorkerConfig } from '../../temporal/worker/worker-config';
import { dieAt } from './kill-point';
import type { KillPoint } from './kill-point';

export interface WorkerOrder {
  readonly config: WorkerConfig;
  readonly codePath: string;
  /** Also serves the HTTP door. */
  readonly gateway?: GatewayConfig;
  /** Default: the process runs until it is ended. */
  readonly killPoint?: KillPoint;
}

/** A worker that reads its settings from standard input, says when it polls, and ends cleanly on SIGTERM. */
async function main(): Promise<void> {
  const { config, codePath, gateway, killPoint } = (await json(process.stdin)) as WorkerOrder;
  if (killPoint !== undefined) dieAt(killPoint);
  const stopping = new AbortController();
  process.once('SIGTERM', () => stopping.abort());
  const { signal } = stopping;
  const worker = new Promise<void>((polls) => {
    runWorker(config, { signal, onReady: () => polls(), workflowBundle: { codePath } }).catch(fail);
  });
  const door = new Promise<string>((onReady) => {
    if (gateway === undefined) onReady('');
    else runGateway(gateway, { signal, onReady }).catch(fail);
  });
  const [url] = await Promise.all([door, worker]);
  process.stdout.write(`ready ${url}\n`);
}

function fail(error: unknown): void {
  console.error(error);
  process.exit(1);
}

main().catch(fail);
