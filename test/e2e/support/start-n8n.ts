import { rename, rm } from 'node:fs/promises';
import { copyFile, mkdir } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { freePort } from '../../support/free-port';
import { createTempDir } from '../../support/temp-dir';
import { toolPath } from '../../support/tool-path';
import { N8N_ENVIRONMENT } from './n8n-environment';
import { putPackageInto } from './n8n-package';
import { spawnN8n } from './n8n-process';
import type { ExitCode, N8nCommand, N8nProcess } from './n8n-process';
import { connectRest } from './n8n-rest';
import type { N8nRest } from './n8n-rest';
import { LONG_LIMIT_MS, until } from '../../support/until';

const DATABASE = 'database.sqlite';
/** n8n gives up if another n8n, such as the one beside a command, writes to the database for more than a second. */
const DATABASE_BUSY = 'SQLITE_BUSY';

export interface N8nOptions {
  /** Added to N8N_ENVIRONMENT, with priority. If DB_TYPE is set, no SQLite database is prepared. */
  readonly env?: Readonly<Record<string, string>>;
  /** Is kept after `stop`, so that a second n8n can use it. */
  readonly userFolder: string;
  /** True: n8n also serves its editor, icons and `/types`, and takes a third longer to start. Default false. */
  readonly withEditor?: boolean;
}

export interface RunningN8n {
  /** `http://127.0.0.1:<port>`, the address of the editor. */
  readonly url: string;
  /** N8N_USER_FOLDER. The database and binary data are in its folder `.n8n`. */
  readonly userFolder: string;
  /** The whole environment, for a worker or a command on the same n8n. */
  readonly env: Readonly<Record<string, string>>;
  readonly process: N8nProcess;
  readonly rest: N8nRest;
  /**
   * Runs n8n's command line on the same user folder to its end. Rejects with the output unless the exit code is 0. The
   * command must be one that can be repeated.
   */
  cli(args: readonly string[]): Promise<string>;
  /** Ends n8n cleanly. */
  stop(): Promise<void>;
}

/**
 * Starts a complete n8n on loopback with our package installed and the owner logged in. Resolves once it is ready. The
 * first start on a machine takes half a minute longer for n8n's migrations, whose result is kept.
 */
export async function startN8n({ userFolder, ...options }: N8nOptions): Promise<RunningN8n> {
  const database = join(userFolder, '.n8n', DATABASE);
  await mkdir(dirname(database), { recursive: true });
  const fresh = !existsSync(database);
  if (fresh) await putPackageInto(userFolder);
  if (fresh && options.env?.['DB_TYPE'] === undefined) await copyFile(await migratedDatabase(), database);
  const { env, url } = await environmentOf(userFolder, {
    N8N_DISABLE_UI: String(options.withEditor !== true),
    ...options.env,
  });
  const running = await startReady(userFolder, env);
  const rest = await connectRest(url);
  return {
    url,
    userFolder,
    env,
    process: running,
    rest,
    async cli(args) {
      const { code, log } = await until(
        `n8n ${args.join(' ')} gets its turn at the database`,
        () => runCommand({ args, cwd: userFolder, env }),
        (ended) => ended.code === 0 || !ended.log.includes(DATABASE_BUSY),
        { limitMs: LONG_LIMIT_MS },
      );
      if (code !== 0) throw new Error(`n8n ${args.join(' ')} ended with ${String(code)}:\n${log}`);
      return log;
    },
    stop: () => running.end(),
  };
}

/** Runs a command to its end. */
async function runCommand({ env, ...command }: N8nCommand): Promise<{ code: ExitCode; log: string }> {
  const broker = { N8N_RUNNERS_BROKER_PORT: String(await freePort()) };
  const running = await spawnN8n({ ...command, env: { ...env, ...broker } });
  const code = await running.ended;
  return { code, log: running.log() };
}

/** Starts `n8n worker` for an n8n in queue mode. Resolves once it accepts jobs. */
export async function startN8nWorker(main: RunningN8n): Promise<N8nProcess> {
  const broker = String(await freePort());
  const running = await spawnN8n({
    args: ['worker'],
    cwd: main.userFolder,
    env: { ...main.env, N8N_RUNNERS_BROKER_PORT: broker },
  });
  await running.until((log) => log.includes('n8n worker is now ready'));
  return running;
}

async function environmentOf(
  userFolder: string,
  more: Readonly<Record<string, string>> = {},
): Promise<{ env: Record<string, string>; url: string }> {
  const port = more['N8N_PORT'] ?? String(await freePort());
  const broker = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    ...N8N_ENVIRONMENT,
    N8N_USER_FOLDER: userFolder,
    N8N_PORT: port,
    N8N_RUNNERS_BROKER_PORT: String(broker),
    N8N_EDITOR_BASE_URL: url,
    WEBHOOK_URL: url,
    // n8n compiles thousands of files at each start. Node keeps the result.
    NODE_COMPILE_CACHE: join(await keptFolder(), 'compiled'),
    ...more,
  };
  return { env, url };
}

async function startReady(cwd: string, env: Readonly<Record<string, string>>): Promise<N8nProcess> {
  const running = await spawnN8n({ args: ['start'], cwd, env });
  await running.until((log) => log.includes('Editor is now accessible'));
  const readiness = `http://127.0.0.1:${env['N8N_PORT'] ?? ''}/healthz/readiness`;
  // A new connection each time: n8n is busy now, and closes a kept connection just as it is used.
  await until('n8n is ready', async () => (await fetch(readiness, { headers: { connection: 'close' } })).ok);
  return running;
}

/** What is made once for the installed n8n is kept next to it. */
async function keptFolder(): Promise<string> {
  return join(dirname(await toolPath('n8n')), '..', '..', '..');
}

/** An empty database with n8n's newest schema. */
async function migratedDatabase(): Promise<string> {
  const folder = join(await keptFolder(), 'migrated');
  const path = join(folder, DATABASE);
  if (existsSync(path)) return path;
  const dir = await createTempDir('n8n-migrated');
  const { env } = await environmentOf(dir.path);
  const running = await startReady(dir.path, env);
  await running.end();
  await mkdir(folder, { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  await copyFile(join(dir.path, '.n8n', DATABASE), unfinished);
  await rename(unfinished, path);
  await rm(dir.path, { recursive: true, force: true });
  return path;
}
