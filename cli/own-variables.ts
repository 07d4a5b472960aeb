import { resolve } from 'node:path';
import { setVariables } from '../settings/settings-file';
import type { CliContext } from './context';

/** Returns the variables that this terminal sets, without those from the settings file. */
export function ownVariables({
  cwd,
  env,
  fromSettingsFile,
}: Pick<CliContext, 'cwd' | 'env' | 'fromSettingsFile'>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(setVariables(env))
      .filter(([name]) => fromSettingsFile?.has(name) !== true)
      // A relative path would mean another file in another folder.
      .map(([name, value]) => [name, name.endsWith('_FILE') ? resolve(cwd, value) : value]),
  );
}
