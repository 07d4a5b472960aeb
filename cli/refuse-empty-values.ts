import type { Command } from 'commander';
import { ValidationError } from '../api/errors';

const NEEDS_A_VALUE = /(?:^|-)(?:id|batch|manifest|what|account)$/;

/**
 * Refuses empty ids, manifests and folders in arguments and flags. Temporal or the service would only say that they
 * don't know the id, and an empty path would mean the current folder.
 */
export function refuseEmptyValues(command: Command): void {
  const values: readonly (readonly [name: string, value: unknown])[] = [
    ...command.registeredArguments.map(
      (argument, at) => [argument.name(), command.processedArgs[at]] as const,
    ),
    ...command.options.map(
      (option) =>
        [option.long ?? option.flags, command.getOptionValue(option.attributeName()) as unknown] as const,
    ),
  ];
  for (const [name, value] of values) {
    if (!NEEDS_A_VALUE.test(name)) continue;
    const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (texts.some((text) => typeof text === 'string' && text.trim() === ''))
      throw new ValidationError(name, `${name} is empty.`, 'Check that the shell variable is set.');
  }
}
