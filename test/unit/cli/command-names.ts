import { cliProgram } from '../../support/cli-flags';

/** Every command that can be run, as a user writes it. */
export function commandNames(command = cliProgram(), before = ''): string[] {
  return command.commands.flatMap((child) => {
    const name = `${before}${child.name()}`;
    return child.commands.length > 0 ? commandNames(child, `${name} `) : [name];
  });
}
