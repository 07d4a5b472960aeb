import { readSettingsFile, settingsFilePath } from '../settings/settings-file';
import type { CliContext } from './context';
import type { Finding } from './doctor-checks';
import { ownVariables } from './own-variables';

const check = 'settings file';

/**
 * Checks whether another terminal would have the same settings. Both answers are fine, so neither is a mistake. Settings
 * with which the login failed should not replace saved ones.
 */
export function checkSettingsFile(
  context: Pick<CliContext, 'cwd' | 'env' | 'fromSettingsFile'>,
  loginFailed: boolean,
): Finding {
  const path = settingsFilePath(context.env);
  const file = path === undefined ? {} : readSettingsFile(path);
  const own = Object.entries(ownVariables(context)).filter(([name, value]) => file[name] !== value);
  if (own.length === 0) return { check, state: 'ok', says: `every setting is in ${path ?? 'no file'}` };
  const names = `${own.length} variable${own.length === 1 ? '' : 's'}`;
  return {
    check,
    state: 'skip',
    says:
      Object.keys(file).length > 0
        ? `this terminal sets ${names} differently from ${path ?? ''}`
        : `only this terminal sets ${names}`,
    remedy: loginFailed
      ? 'Correct the login before you save these settings.'
      : 'Run `media-service settings save`, so that every terminal and its worker use them.',
  };
}
