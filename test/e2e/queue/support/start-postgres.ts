import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../../support/free-port';
import { startServerProcess } from '../../../support/server-process';
import { toolPath } from '../../../support/tool-path';

const USER = 'n8n';

export interface Postgres {
  readonly port: number;
  /** Superuser without a password. */
  readonly user: string;
  readonly database: string;
  stop(): Promise<void>;
}

/** Starts a PostgreSQL of its own on loopback with its data below `folder`. Resolves once it accepts connections. */
export async function startPostgres(folder: string): Promise<Postgres> {
  const [bin, port, dataDir] = [await toolPath('postgres'), await freePort(), join(folder, 'postgres')];
  await mkdir(dataDir);
  const asUser = process.getuid?.() === 0 ? await unprivileged(dataDir) : [];
  const make = ['-D', dataDir, '-U', USER, '--auth=trust', '--encoding=UTF8', '--no-locale', '--no-sync'];
  await runProgram([...asUser, join(bin, 'initdb'), ...make]);
  const listen = ['-c', 'listen_addresses=127.0.0.1', '-p', String(port), '-c', 'unix_socket_directories='];
  // The data is thrown away, so it need not survive a power cut.
  const quick = ['-c', 'fsync=off', '-c', 'full_page_writes=off', '-c', 'synchronous_commit=off'];
  const serve = ['-D', dataDir, ...listen, ...quick];
  const [command = '', ...args] = [...asUser, join(bin, 'postgres'), ...serve];
  const server = await startServerProcess(command, args, port);
  return {
    port,
    user: USER,
    database: 'postgres',
    // SIGINT ends it at once; SIGTERM would wait for connected clients.
    stop: () => server.kill('SIGINT'),
  };
}

/**
 * PostgreSQL does not run as root. Changes the owner of the folder, and returns the command that starts programs as
 * that owner.
 */
async function unprivileged(dataDir: string): Promise<string[]> {
  await runProgram(['chown', 'nobody', dataDir]);
  // Only its creator may enter the folder above, and the owner of the data must pass through it.
  await runProgram(['chmod', 'o+x', join(dataDir, '..')]);
  return ['setpriv', '--reuid=nobody', '--clear-groups', '--regid=65534', '--'];
}

async function runProgram([command = '', ...args]: readonly string[]): Promise<void> {
  await promisify(execFile)(command, args);
}
