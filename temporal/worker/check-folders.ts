import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { ConfigurationError } from '../../api/errors';
import type { WorkerConfig } from './worker-config';

const READ = constants.R_OK | constants.X_OK;
const READ_AND_WRITE = READ | constants.W_OK;

/** Rejects with `Configuration`, which names the folder and its setting, where a root cannot be read or the spool folder cannot be written. */
export async function checkFolders({
  roots,
  spoolDir,
}: Pick<WorkerConfig, 'roots' | 'spoolDir'>): Promise<void> {
  for (const root of roots) {
    const wrong = await wrongWith(root, READ);
    if (wrong !== undefined) throw folderError('roots', 'MEDIA_SERVICE_FILE_ROOTS', `${root} ${wrong}`);
  }
  if (spoolDir === undefined) return;
  const wrong = await wrongWith(spoolDir, READ_AND_WRITE);
  if (wrong !== undefined) throw folderError('spoolDir', 'MEDIA_SERVICE_SPOOL_DIR', `${spoolDir} ${wrong}`);
}

async function wrongWith(folder: string, mode: number): Promise<string | undefined> {
  if (!isAbsolute(folder)) return 'is not an absolute path';
  const found = await stat(folder).catch(() => undefined);
  if (found === undefined) return 'does not exist or cannot be seen by this user';
  if (!found.isDirectory()) return 'is no folder';
  return access(folder, mode).then(
    () => undefined,
    () => `cannot be ${mode === READ ? 'read' : 'written'} by this user`,
  );
}

function folderError(field: string, variable: string, problem: string): ConfigurationError {
  return new ConfigurationError(
    field,
    `A folder in ${variable} cannot be used: ${problem}.`,
    `Create the folder, give this user its rights, or change ${variable}.`,
  );
}
