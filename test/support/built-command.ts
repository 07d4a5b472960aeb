import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { madeBefore } from './tool-path';

const ROOT = resolve(__dirname, '..', '..');
/** Code that an earlier start has compiled: a test starts the command dozens of times. */
const COMPILED = join(ROOT, 'node_modules', '.cache', 'compiled');
export const COMMAND = join(ROOT, 'packages', 'media-service', 'dist', 'cli', 'main.js');

export interface CommandContext {
  readonly cwd: string;
  /** Besides PATH and HOME, the command gets nothing from the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Input of the command. Default: empty. */
  readonly stdin?: string;
}

export interface CommandEnd {
  /** Null if a signal ended it. */
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly ended: Promise<CommandEnd>;
  /** Its output so far. */
  stdout(): string;
  /** Resolves once one of the streams contains the text. Rejects with all output if the command ends first. */
  until(text: string): Promise<void>;
}

export interface RunningProgram extends Running {
  signal(name: NodeJS.Signals): void;
  /** Stops reading this stream, as when the program behind a pipe has died. */
  stopReading(stream: 'stdout' | 'stderr'): void;
}

/** Builds the command from the current sources, unless the suite did so before its tests. */
export async function buildCommand(): Promise<void> {
  if (madeBefore('build') !== undefined) return;
  await promisify(execFile)(process.execPath, [join(ROOT, 'tools', 'build.mjs')]);
}

interface ProgramContext extends CommandContext {
  /** The file that stdout goes to instead of the test. */
  readonly stdout?: string;
  /** Another Node than that of the tests, and another script than the built one. */
  readonly program?: readonly [node: string, script: string];
  /** Another user than that of the tests. */
  readonly uid?: number;
}

/** Starts the built `media-service` as a process of its own, for what only a process has. The caller waits for its end. */
export function startBuilt(words: readonly string[], context: ProgramContext): Promise<RunningProgram> {
  const { program = [process.execPath, COMMAND] } = context;
  return startProgram([...program, ...words], context);
}

/** Starts a script in bash, which ends at the first command that fails, also within a pipe. */
export function startShell(script: string, context: ProgramContext): Promise<RunningProgram> {
  return startProgram(['bash', '-e', '-o', 'pipefail', '-c', script], context);
}

async function startProgram(
  [program = '', ...words]: readonly string[],
  { cwd, env = {}, stdout, stdin, uid }: ProgramContext,
): Promise<RunningProgram> {
  const file = stdout === undefined ? undefined : await open(stdout, 'w');
  const child = spawn(program, words, {
    cwd,
    ...(uid === undefined ? {} : { uid, gid: uid }),
    env: { ...baseEnv(cwd), NODE_COMPILE_CACHE: COMPILED, ...env },
    stdio: [stdin === undefined ? 'ignore' : 'pipe', file?.fd ?? 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  const watchers = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      lookAll(watchers);
    });
  }
  const ended = new Promise<CommandEnd>((done) => {
    child.once('close', (exit) => done({ exit, ...output }));
  });
  await once(child, 'spawn');
  child.stdin?.end(stdin);
  await file?.close();
  return {
    ...watched(output, ended, watchers),
    signal: (name) => void child.kill(name),
    stopReading: (stream) => void child[stream]?.destroy(),
  };
}

/** Runs the built `media-service` as a process to its end. */
export async function runBuilt(words: readonly string[], context: ProgramContext): Promise<CommandEnd> {
  return (await startBuilt(words, context)).ended;
}

/** What every command gets. */
export function baseEnv(home: string): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: home };
}

/** What a test sees of a command. `watchers` are called at each output. */
export function watched(
  output: Readonly<Record<'stdout' | 'stderr', string>>,
  ended: Promise<CommandEnd>,
  watchers: Set<() => void>,
): Running {
  return {
    ended,
    stdout: () => output.stdout,
    until: (text) => untilShown({ text, shown: () => `${output.stdout}\n${output.stderr}`, ended, watchers }),
  };
}

interface Awaited {
  readonly text: string;
  shown(): string;
  readonly ended: Promise<unknown>;
  readonly watchers: Set<() => void>;
}

/** Resolves once the text is shown. Rejects with all that is shown if the command ends first. */
export function untilShown({ text, shown, ended, watchers }: Awaited): Promise<void> {
  return new Promise((found, lost) => {
    const look = (): void => {
      if (!shown().includes(text)) return;
      watchers.delete(look);
      found();
    };
    watchers.add(look);
    void ended.then(() => lost(new Error(`It ended without "${text}":\n${shown()}`)));
    look();
  });
}

export function lookAll(watchers: ReadonlySet<() => void>): void {
  for (const look of [...watchers]) look();
}
