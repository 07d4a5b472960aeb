import { Option } from 'commander';
import type { Command } from 'commander';
import { EXIT_CODES } from './exit-codes';
import type { ExitName } from './exit-codes';
import { wrapLine } from './output/text-width';

export interface CommandHelp {
  /** The content of stdout, without and with --json. */
  readonly output: string;
  /** Important exit codes of this command, besides 0, 1, 2 and 130. */
  readonly exits: readonly ExitName[];
  readonly examples: readonly { readonly says: string; readonly run: string }[];
}

/** Gives a command the common options (`--json`, `--debug`), and a help with output, examples and exit codes. */
export function addHelp(command: Command, { output, exits, examples }: CommandHelp): Command {
  const codes = (['OK', 'UNEXPECTED', 'USAGE', ...exits, 'INTERRUPTED'] as const).map(
    (name) => EXIT_CODES[name],
  );
  return command
    .option('--json', 'print JSON on stdout; errors as one line of JSON on stderr')
    .addOption(new Option('--debug', 'show the stack of an error').hideHelp())
    .addHelpText('after', () => {
      const columns = helpColumns(command);
      return [
        '',
        'Output:',
        ...output.split('\n').map((line) => wrapLine(`  ${line}`, columns, 2)),
        '',
        'Examples:',
        // Commands are not wrapped, so that they can be copied.
        ...examples.flatMap(({ says, run }) => [wrapLine(`  # ${says}`, columns, 4), `  $ ${run}`]),
        '',
        'Exit codes:',
        ...[...codes]
          .sort((a, b) => a.code - b.code)
          .map(({ code, meaning }) => wrapLine(`  ${String(code).padEnd(4)}${meaning}`, columns, 6)),
      ].join('\n');
    });
}

/** As wide as the other parts of the help. */
function helpColumns(command: Command): number | undefined {
  return command.configureOutput().getOutHelpWidth?.();
}
