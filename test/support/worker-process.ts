import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import type { WorkerConfig } from '../../temporal/worker/worker-config';
import { testWorkflowBundle } from './workflow-bundle';

const ENTRY = join(__dirname, 'worker-process-entry.ts');
/** Inside the project, so that it finds the libraries. */
const CACHE = resolve(__dirname, '..', '..', 'node_modules', '.cache');

export interface WorkerProcess {
  readonly pid: number;
  /** Sends the signal and resolves once the process is gone, with its exit code; null where the signal ended it. */
  kill(signal: NodeJS.Signals): Promise<number | null>;
}

/** Starts a worker as a process of its own, which can be killed, and waits until it polls. `env` comes on top of this process's. */
export async function startWorkerProcess(
  config: WorkerConfig,
  env: Readonly<Record<string, string>> = {},
): Promise<WorkerProcess> {
  const codePath = await testWorkflowBundle();
  const outfile = join(CACHE, `worker-process-${randomUUID()}.cjs`);
  await build({
    entryPoints: [ENTRY],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    packages: 'external',
  });
  const child = spawn(process.execPath, [outfile], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const ended = once(child, 'exit');
  child.stdin.end(JSON.stringify({ config, codePath }));
  void ended.then(() => rm(outfile, { force: true }));
  const lines = createInterface({ input: child.stdout });
  const ready = once(lines, 'line');
  await Promise.race([
    ready,
    ended.then(() => Promise.reject(new Error('The worker process ended before it polled.'))),
  ]);
  const { pid } = child;
  if (pid === undefined) throw new Error('The worker process has no id.');
  return {
    pid,
    async kill(signal) {
      child.kill(signal);
      await ended;
      return child.exitCode;
    },
  };
}
