import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { until } from './until';

const SERVING_LIMIT_MS = 180_000;
const OUTPUT_KEPT = 4_000;

/** A server that runs as a process of its own. */
export interface ServerProcess {
  /** Sends the signal and resolves once the process is gone. */
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** Starts a server and resolves once its port accepts connections. Rejects with its output if it ends first. */
export async function startServerProcess(
  command: string,
  args: readonly string[],
  port: number,
): Promise<ServerProcess> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const output = tailOf(child);
  await once(child, 'spawn');
  const ended = once(child, 'close');
  try {
    await untilServing(port, child);
  } catch (cause) {
    child.kill('SIGKILL');
    await ended;
    throw new Error(`${command} does not serve on port ${port}. It printed:\n${output()}`, { cause });
  }
  return {
    async kill(signal) {
      child.kill(signal);
      await ended;
    },
  };
}

async function untilServing(port: number, child: ChildProcess): Promise<void> {
  const serves = async (): Promise<boolean> => {
    const serving = await takesConnections(port);
    // If it has ended, another process has taken its port.
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('The process has ended.');
    return serving;
  };
  await until(`port ${port} takes connections`, serves, Boolean, { limitMs: SERVING_LIMIT_MS, pauseMs: 25 });
}

async function takesConnections(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const connected = once(socket, 'connect').then(
    () => true,
    () => false,
  );
  return connected.finally(() => socket.destroy());
}

function tailOf(child: ChildProcess): () => string {
  let text = '';
  const keep = (chunk: Buffer): void => {
    text = (text + chunk.toString()).slice(-OUTPUT_KEPT);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  return () => text;
}
