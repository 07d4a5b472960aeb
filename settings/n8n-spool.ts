import { join } from 'node:path';
import { dataFolderOfN8n, surroundingsOfN8n } from './n8n-surroundings';
import type { Surroundings } from './n8n-surroundings';
import type { SourceSettings } from './source-settings';

/** The folder for n8n's copies of sources that it can't read in ranges. */
export interface N8nSpool {
  readonly dir: string;
  /**
   * `own`: everybody may write to the folder around it, so it must be private to this user. `closed`: it is in a folder
   * of n8n, so nobody else may write to it. Unset: whoever configured it is responsible.
   */
  readonly must?: 'own' | 'closed';
}

/**
 * Returns the configured folder, else one in n8n's data folder if that exists here, else a temporary one.
 */
export function spoolOfN8n(
  { spoolDir }: Pick<SourceSettings, 'spoolDir'>,
  { env, temporary, uid }: Surroundings = surroundingsOfN8n(),
): N8nSpool {
  if (spoolDir !== undefined) return { dir: spoolDir };
  const data = dataFolderOfN8n(env);
  if (data !== undefined) return { dir: join(data, 'media-service', 'spool'), must: 'closed' };
  const user = uid === undefined ? '' : `-${uid}`;
  return { dir: join(temporary, `n8n-media-service${user}`), must: 'own' };
}
