import { Option, type Command } from 'commander';
import { EXIT_CODES, type ExitName } from './exit-codes';

export interface CommandHelp {
  /** What stands on stdout, without and with --json. */
  readonly output: string;
  /** Exit codes worth knowing for this command, besides 0, 1, 2 and 130. */
  readonly exits: readonly ExitName[];
  readonly examples: readonly { readonly says: string; readonly run: string }[];
}

/** Gives a command what all commands have (`--json`, `--debug`) and a help with output, examples and exit codes. */
export function addHelp(command: Command, { output, exits, examples }: CommandHelp): Command {
  const codes = (['OK', 'UNEXPECTED', 'USAGE', ...exits, 'INTERRUPTED'] as const).map(
    (name) => EXIT_CODES[name],
  );
  return command
    .option('--json', 'print JSON on stdout; errors as one line of JSON on stderr')
    .addOption(new Option('--debug', 'show the stack of an error').hideHelp())
    .addHelpText(
      'after',
      [
        '',
        'Output:',
        indent(output),
        '',
        'Examples:',
        ...examples.flatMap(({ says, run }) => [`  # ${says}`, `  $ ${run}`]),
        '',
        'Exit codes:',
        ...[...codes]
          .sort((a, b) => a.code - b.code)
          .map(({ code, meaning }) => `  ${String(code).padEnd(4)}${meaning}`),
      ].join('\n'),
    );
}

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}
