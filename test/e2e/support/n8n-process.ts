import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { toolPath } from '../../support/tool-path';

/** Time that n8n may take to end cleanly before it is killed, ms. */
const GRACE_MS = 20_000;

export interface N8nProcess {
  readonly pid: number;
  /** Its whole output so far. */
  log(): string;
  /**
   * Resolves once `look` returns true; it is called on every printed line. Rejects with the log if the process ends
   * first.
   */
  until(look: (log: string) => boolean): Promise<void>;
  /** Sends the signal. Resolves once the process is gone, with how it ended. */
  kill(signal: NodeJS.Signals): Promise<ExitCode>;
  /** Sends SIGTERM, and SIGKILL if the process still runs after 20 s. */
  end(): Promise<void>;
  /** How it ended, after it has. */
  readonly ended: Promise<ExitCode>;
}

/** The exit code, or the signal that ended the process. */
export type ExitCode = number | NodeJS.Signals | null;

export interface N8nCommand {
  /** For example `start`, `worker` or `import:workflow`. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** Runs n8n's command line on n8n's own Node. It gets only PATH from the environment of this process. */
export async function spawnN8n({ args, env, cwd }: N8nCommand): Promise<N8nProcess> {
  const [node, n8n] = [process.execPath, await toolPath('n8n')];
  const child = spawn(node, [n8n, ...args], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: cwd, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  const watchers = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      log += text;
      for (const watch of [...watchers]) watch();
    });
  }
  const ended = new Promise<ExitCode>((done) => child.once('close', (code, signal) => done(code ?? signal)));
  await once(child, 'spawn');
  const kill = async (signal: NodeJS.Signals): Promise<ExitCode> => {
    child.kill(signal);
    return ended;
  };
  return {
    pid: child.pid ?? 0,
    log: () => log,
    ended,
    kill,
    async end() {
      const limit = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
      await kill('SIGTERM');
      clearTimeout(limit);
    },
    until: (look) =>
      new Promise((found, lost) => {
        const watch = (): void => {
          if (!look(log)) return;
          watchers.delete(watch);
          found();
        };
        watchers.add(watch);
        void ended.then((code) =>
          lost(new Error(`n8n ${args.join(' ')} ended with ${String(code)}:\n${log}`)),
        );
        watch();
      }),
  };
}
