import { spawn } from 'node:child_process';
import { COMMAND, lookAll, untilShown } from './built-command';
import { createTerminalScreen } from './terminal-screen';

export interface TerminalContext {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns: number;
}

export interface CommandOnTerminal {
  /** Resolves once the text is on the terminal. Rejects with the whole screen if the command ends first. */
  until(text: string): Promise<void>;
  readonly ended: Promise<{ readonly exit: number | null; readonly lines: string[] }>;
}

/** Runs the built `media-service` in a pseudo-terminal of its own, with the program `script` of util-linux. */
export function startOnTerminal(
  words: readonly string[],
  { cwd, env, columns }: TerminalContext,
): CommandOnTerminal {
  const screen = createTerminalScreen(columns, { convertEol: false });
  const command = ['exec', process.execPath, COMMAND, ...words].map(quoted).join(' ');
  const child = spawn(
    'script',
    [
      '--quiet',
      '--return',
      '--flush',
      '--command',
      `stty cols ${columns} rows 24 -echo; ${command}`,
      '/dev/null',
    ],
    {
      cwd,
      env: { PATH: process.env['PATH'] ?? '', HOME: cwd, SHELL: '/bin/sh', TERM: 'xterm', ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  );
  const watchers = new Set<() => void>();
  let written = Promise.resolve();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written = screen.write(text).then(() => lookAll(watchers));
  });
  const ended = new Promise<number | null>((done) => child.once('close', done)).then(async (exit) => {
    await written;
    return { exit, lines: screen.lines() };
  });
  return {
    ended,
    until: (text) => untilShown({ text, shown: () => screen.lines().join('\n'), ended, watchers }),
  };
}

function quoted(word: string): string {
  return word === 'exec' ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
