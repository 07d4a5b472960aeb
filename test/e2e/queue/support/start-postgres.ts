import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../../support/free-port';
import { startServerProcess } from '../../../support/server-process';
import { toolPath } from '../../../support/tool-path';

const USER = 'n8n';
const LOG_FILE = 'statements.log';
/** One log file, whatever its size and age. Values are left out, since they are whole videos here. */
const LOG_STATEMENTS = Object.entries({
  logging_collector: 'on',
  log_filename: LOG_FILE,
  log_rotation_age: '0',
  log_rotation_size: '0',
  log_statement: 'all',
  log_parameter_max_length: '0',
}).flatMap(([name, value]) => ['-c', `${name}=${value}`]);

export interface Postgres {
  readonly port: number;
  /** Superuser without a password. */
  readonly user: string;
  readonly database: string;
  /** Every statement since the start of the server that matches the pattern. */
  statements(pattern: RegExp): Promise<string[]>;
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
  const serve = ['-D', dataDir, ...listen, ...quick, ...LOG_STATEMENTS];
  const [command = '', ...args] = [...asUser, join(bin, 'postgres'), ...serve];
  const server = await startServerProcess(command, args, port);
  return {
    port,
    user: USER,
    database: 'postgres',
    async statements(pattern) {
      const log = await readFile(join(dataDir, 'log', LOG_FILE), 'utf8');
      return log.split('\n').filter((line) => pattern.test(line));
    },
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
