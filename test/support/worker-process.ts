import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { GatewayConfig } from '../../gateway/gateway-config';
import { given } from '../../api/json';
import type { WorkerConfig } from '../../temporal/worker/worker-config';
import { bundledProgram } from './bundled-program';
import type { KillPoint } from './kill-point';
import type { WorkerOrder } from './worker-process-entry';
import { testWorkflowBundle } from './workflow-bundle';

/** Number of log characters in an error. */
const MAX_SHOWN_LOG = 2_000;
const ENTRY = join(__dirname, 'worker-process-entry.ts');

export type WorkerProcess = Awaited<ReturnType<typeof startWorkerProcess>>;

export interface WorkerProcessOptions {
  /** Added to this process's environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: the process runs until it is ended. */
  readonly killPoint?: KillPoint;
  /** Default: it serves no HTTP door. */
  readonly gateway?: GatewayConfig;
  /** Receives the worker's log. Default: standard error. */
  readonly onLog?: (text: string) => unknown;
}

/** Starts a worker in a process of its own, which can be killed, and waits until it polls. */
export async function startWorkerProcess(
  config: WorkerConfig,
  { env, killPoint, gateway, onLog }: WorkerProcessOptions = {},
) {
  const order: WorkerOrder = {
    config,
    codePath: await testWorkflowBundle(),
    ...given({ killPoint, gateway }),
  };
  const child = spawn(process.execPath, [await bundledProgram(ENTRY)], {
    stdio: ['pipe', 'pipe', onLog === undefined ? 'inherit' : 'pipe'],
    env: { ...process.env, ...env },
  });
  let log = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-MAX_SHOWN_LOG);
    onLog?.(text);
  });
  const gone = once(child, 'exit').then(() => child.signalCode);
  child.stdin?.end(JSON.stringify(order));
  const httpUrl = await untilReady(child, gone, () => log);
  const { pid } = child;
  if (pid === undefined) throw new Error('The worker process has no id.');
  return {
    pid,
    /** Address of its HTTP door; empty if it has none. */
    httpUrl,
    /** Resolves once the process is gone, with the signal that ended it, if any. */
    gone,
    /** Sends the signal. Resolves with the exit code once the process is gone, or null if the signal ended it. */
    async kill(signal: NodeJS.Signals): Promise<number | null> {
      child.kill(signal);
      await gone;
      return child.exitCode;
    },
  };
}

async function untilReady(
  { stdout }: ChildProcess,
  gone: Promise<unknown>,
  log: () => string,
): Promise<string> {
  if (stdout === null) throw new Error('The worker process has no output.');
  const ready = once(createInterface({ input: stdout }), 'line');
  const early = gone.then(() =>
    Promise.reject(new Error(`The worker process ended before it polled. ${log()}`)),
  );
  const [line] = (await Promise.race([ready, early])) as [string];
  return line.replace('ready ', '');
}
