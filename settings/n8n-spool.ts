import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Env } from './env-reader';
import type { SourceSettings } from './source-settings';

/** The folder to which n8n copies what it can't read in ranges. */
export interface N8nSpool {
  readonly dir: string;
  /**
   * `own`: it lies where everybody may write, so that it must be private to this user. `closed`: it lies in a folder of n8n, so that nobody else may write to it.
   * Unset: whoever set it answers for it.
   */
  readonly must?: 'own' | 'closed';
}

export interface Surroundings {
  readonly env: Env;
  readonly temporary: string;
  /** Of this process; unset if there is none (Windows). */
  readonly uid: number | undefined;
}

/** The folder that is set, else one beside the journals, else one in n8n's data folder if it has one here, else one among temporary files. */
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

/** As n8n finds it: `.n8n` in the folder that N8N_USER_FOLDER names, else in the user's home. */
export function dataFolderOfN8n(env: Env): string | undefined {
  const home = env['N8N_USER_FOLDER'] ?? env[process.platform === 'win32' ? 'USERPROFILE' : 'HOME'];
  if (home === undefined || home === '') return undefined;
  const folder = join(home, '.n8n');
  return existsSync(folder) ? folder : undefined;
}
