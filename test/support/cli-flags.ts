import type { Command } from 'commander';
import { createProgram } from '../../cli/program';
import { cliContext } from './cli-context';

/** Every flag of every command. */
export function cliFlags(): ReadonlySet<string> {
  return new Set(flagsOf(cliProgram()));
}

/** The program with all its commands. It prints nothing. */
export function cliProgram(): Command {
  return createProgram(cliContext().context, { version: '1.2.3', printError: () => undefined, whole: true });
}

function flagsOf(command: Command): string[] {
  return [
    ...command.options.flatMap(({ long }) => (typeof long === 'string' ? [long] : [])),
    ...command.commands.flatMap(flagsOf),
  ];
}
