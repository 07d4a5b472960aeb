import { settingsFilePath } from '../settings/settings-file';
import type { CliContext } from './context';
import type { Finding } from './doctor-checks';
import { ownVariables } from './own-variables';

const check = 'settings file';

/** Checks whether another terminal would have the same settings. Both answers are fine, so neither is a mistake. */
export function checkSettingsFile(context: Pick<CliContext, 'cwd' | 'fromSettingsFile'>): Finding {
  const file = settingsFilePath() ?? 'none';
  const own = Object.keys(ownVariables(context));
  const isRead = context.fromSettingsFile !== undefined && context.fromSettingsFile.size > 0;
  if (own.length === 0) return { check, state: 'ok', says: `every setting comes from ${file}` };
  const names = `${own.length} variable${own.length === 1 ? '' : 's'}`;
  return {
    check,
    state: 'skip',
    says: isRead
      ? `${names} of this terminal add to or override ${file}`
      : `only this terminal knows its ${names}`,
    remedy: 'Run `media-service settings save`: then every terminal and its worker know them.',
  };
}
