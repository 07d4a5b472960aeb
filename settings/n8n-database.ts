import type { Env } from './env-reader';

/** Whether n8n, in whose process this runs, keeps its data in PostgreSQL. */
export function n8nUsesPostgres(env: Env = process.env): boolean {
  return env['DB_TYPE'] === 'postgresdb';
}
