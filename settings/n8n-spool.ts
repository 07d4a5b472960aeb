import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Env } from './env-reader';
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

export interface Surroundings {
  readonly env: Env;
  readonly temporary: string;
  /** User id of this process; unset if there is none (Windows). */
  readonly uid: number | undefined;
}

/**
 * Returns the configured folder, else one next to the journals, else one in n8n's data folder if that exists here, else
 * a temporary one.
 */
export function spoolOfN8n(
  { spoolDir, stateDir }: Pick<SourceSettings, 'spoolDir' | 'stateDir'>,
  { env, temporary, uid }: Surroundings = surroundingsOfN8n(),
): N8nSpool {
  if (spoolDir !== undefined) return { dir: spoolDir };
  if (stateDir !== undefined) return { dir: join(stateDir, 'spool'), must: 'closed' };
  const data = dataFolderOfN8n(env);
  if (data !== undefined) return { dir: join(data, 'media-service', 'spool'), must: 'closed' };
  const user = uid === undefined ? '' : `-${uid}`;
  return { dir: join(temporary, `n8n-media-service${user}`), must: 'own' };
}

export function surroundingsOfN8n(): Surroundings {
  return { env: process.env, temporary: tmpdir(), uid: process.getuid?.() };
}

/** Finds it as n8n does: `.n8n` in the folder N8N_USER_FOLDER, else in the user's home. */
export function dataFolderOfN8n(env: Env): string | undefined {
  const home = env['N8N_USER_FOLDER'] ?? env[process.platform === 'win32' ? 'USERPROFILE' : 'HOME'];
  if (home === undefined || home === '') return undefined;
  const folder = join(home, '.n8n');
  return existsSync(folder) ? folder : undefined;
}
