import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Env } from './env-reader';

export interface Surroundings {
  readonly env: Env;
  readonly temporary: string;
  /** User id of this process; unset if there is none (Windows). */
  readonly uid: number | undefined;
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

/** Returns whether n8n, which runs this process, keeps its data in PostgreSQL. */
export function n8nUsesPostgres(env: Env = process.env): boolean {
  return env['DB_TYPE'] === 'postgresdb';
}
