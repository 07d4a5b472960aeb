import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Account } from '../../api/account/account';
import { madeBefore } from './tool-path';
import type { UploadFixture } from './upload-fixture';

const ROOT = resolve(__dirname, '..', '..');
export const COMMAND = join(ROOT, 'dist', 'cli', 'main.js');

export interface CommandContext {
  readonly cwd: string;
  /** Besides PATH and HOME, the command gets nothing from the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** The file that stdout goes to instead of the test. */
  readonly stdout?: string;
  /** Input of the command. Default: empty. */
  readonly stdin?: string;
  /** Another Node than that of the tests, and another script than the built one. */
  readonly program?: readonly [node: string, script: string];
}

export interface CommandEnd {
  /** Null if a signal ended it. */
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningCommand {
  readonly pid: number;
  readonly ended: Promise<CommandEnd>;
  /** Its output so far. */
  stdout(): string;
  /** Resolves once one of the streams contains the text. Rejects with all output if the command ends first. */
  until(text: string): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** Stops reading this stream, as when the program behind a pipe has died. */
  stopReading(stream: 'stdout' | 'stderr'): void;
}

/** Builds the command from the current sources, unless the suite did so before its tests. */
export async function buildCommand(): Promise<void> {
  if (madeBefore('build') !== undefined) return;
  await promisify(execFile)(process.execPath, [join(ROOT, 'tools', 'build.mjs')]);
}

/** The variables that point the command at an account. */
export function accountEnv(account: Account): Record<string, string> {
  return {
    MEDIA_SERVICE_BASE_URL: account.baseUrl,
    MEDIA_SERVICE_UPLOAD_URL: account.uploadUrl,
    MEDIA_SERVICE_API_KEY: account.apiKey,
    MEDIA_SERVICE_SECRET_KEY: account.secretKey,
    MEDIA_SERVICE_EXTERNAL_ID: account.externalId,
  };
}

/** Those of `accountEnv`, and those for the Temporal server, the queues and the machine of a test's workers. */
export function commandEnv({
  account,
  config,
  queuePrefix,
}: Pick<UploadFixture, 'account' | 'config' | 'queuePrefix'>): Record<string, string> {
  return {
    ...accountEnv(account),
    TEMPORAL_ADDRESS: config.temporal.address,
    TEMPORAL_NAMESPACE: config.temporal.namespace,
    MEDIA_SERVICE_QUEUE_PREFIX: queuePrefix,
    MEDIA_SERVICE_HOST: config.host,
  };
}

/** Starts the built `media-service` as a process of its own. The caller waits for its end. */
export function startCommand(words: readonly string[], context: CommandContext): Promise<RunningCommand> {
  const { program = [process.execPath, COMMAND] } = context;
  return startProgram([...program, ...words], context);
}

/** Starts a script in bash, which ends at the first command that fails, also within a pipe. */
export function startShell(script: string, context: CommandContext): Promise<RunningCommand> {
  return startProgram(['bash', '-e', '-o', 'pipefail', '-c', script], context);
}

async function startProgram(
  [program = '', ...words]: readonly string[],
  { cwd, env = {}, stdout, stdin }: CommandContext,
): Promise<RunningCommand> {
  const base = { PATH: process.env['PATH'] ?? '', HOME: cwd };
  const file = stdout === undefined ? undefined : await open(stdout, 'w');
  const child = spawn(program, words, {
    cwd,
    env: { ...base, ...env },
    stdio: [stdin === undefined ? 'ignore' : 'pipe', file?.fd ?? 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  const watchers = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      for (const look of [...watchers]) look();
    });
  }
  const ended = new Promise<CommandEnd>((done) => {
    child.once('close', (exit) => done({ exit, ...output }));
  });
  await once(child, 'spawn');
  child.stdin?.end(stdin);
  await file?.close();
  return {
    pid: child.pid ?? 0,
    ended,
    stdout: () => output.stdout,
    signal: (name) => void child.kill(name),
    stopReading: (stream) => void child[stream]?.destroy(),
    until: (text) =>
      new Promise((found, lost) => {
        const look = (): void => {
          if (!`${output.stdout}\n${output.stderr}`.includes(text)) return;
          watchers.delete(look);
          found();
        };
        watchers.add(look);
        void ended.then(() =>
          lost(new Error(`It ended without "${text}":\n${output.stdout}\n${output.stderr}`)),
        );
        look();
      }),
  };
}

/** Runs the built `media-service` to its end. */
export async function runCommand(words: readonly string[], context: CommandContext): Promise<CommandEnd> {
  return (await startCommand(words, context)).ended;
}
