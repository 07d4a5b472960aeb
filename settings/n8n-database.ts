import type { Env } from './env-reader';

/** Returns whether n8n, which runs this process, keeps its data in PostgreSQL. */
export function n8nUsesPostgres(env: Env = process.env): boolean {
  return env['DB_TYPE'] === 'postgresdb';
}
