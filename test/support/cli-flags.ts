import { Writable } from 'node:stream';
import type { Command } from 'commander';
import { systemClock } from '../../api/clock';
import { Interrupts } from '../../cli/interrupts';
import { Terminal } from '../../cli/output/terminal';
import { createProgram } from '../../cli/program';

/** Every flag of every command. */
export function cliFlags(): ReadonlySet<string> {
  return new Set(flagsOf(cliProgram()));
}

/** The program with all its commands. It prints nothing. */
export function cliProgram(): Command {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = new Terminal({ stdout: nowhere, stderr: nowhere });
  const context = { terminal, interrupts: new Interrupts(() => undefined), cwd: '/', clock: systemClock };
  return createProgram(context, { version: '1.2.3', printError: () => undefined });
}

function flagsOf(command: Command): string[] {
  return [
    ...command.options.flatMap(({ long }) => (typeof long === 'string' ? [long] : [])),
    ...command.commands.flatMap(flagsOf),
  ];
}
