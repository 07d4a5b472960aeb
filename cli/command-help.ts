import { Help, Option } from 'commander';
import type { Command } from 'commander';

/** Gives a command the common options (`--json`, `--debug`), and below its options one paragraph and two examples. */
export function addHelp(command: Command, about: string, examples: readonly [string, string]): Command {
  return command
    .option('--json', 'print JSON on stdout; errors as one line of JSON on stderr')
    .addOption(new Option('--debug', 'show the stack of an error').hideHelp())
    .addHelpText('after', () => {
      const columns = command.configureOutput().getOutHelpWidth?.() ?? Infinity;
      const wrap = (text: string): string => new Help().boxWrap(text, columns);
      // Commands are not wrapped, so that they can be copied.
      return ['', wrap(about), '', 'Examples:', ...examples.map((run) => `  $ ${run}`)].join('\n');
    });
}
