import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { ConfigurationError } from '../../api/errors';
import { noteRoot } from '../../api/upload/sources/path/away-root';
import type { WorkerConfig } from './worker-config';

const READ = constants.R_OK | constants.X_OK;
const READ_AND_WRITE = READ | constants.W_OK;

/**
 * Rejects with `Configuration`, which names the folder and its setting, where a root or the secrets cannot be read or the spool folder cannot be written.
 * An output root only has to be there: who writes nothing, as most workers do, needs no right to. The roots are remembered, so that one that
 * goes away is noticed.
 */
export async function checkFolders({
  roots,
  spoolDir,
  outputRoots = [],
  secrets,
}: Pick<WorkerConfig, 'roots' | 'spoolDir' | 'outputRoots' | 'secrets'>): Promise<void> {
  for (const root of roots) {
    const wrong = await wrongWith(root, READ);
    if (wrong !== undefined) throw folderError('roots', 'MEDIA_SERVICE_FILE_ROOTS', `${root} ${wrong}`);
  }
  for (const root of outputRoots) {
    const wrong = await wrongWith(root, READ);
    if (wrong !== undefined)
      throw folderError('outputRoots', 'MEDIA_SERVICE_OUTPUT_ROOTS', `${root} ${wrong}`);
  }
  for (const root of [...roots, ...outputRoots]) await noteRoot(root);
  await checkSecrets(secrets);
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

/** A file or a folder. */
async function checkSecrets(secrets: string | undefined): Promise<void> {
  if (secrets === undefined) return;
  await access(secrets, constants.R_OK).catch(() => {
    throw new ConfigurationError(
      'secrets',
      `The secrets in MEDIA_SERVICE_SECRETS cannot be used: ${secrets} does not exist or cannot be read by this user.`,
      'Create the file or folder, give this user its rights, or change MEDIA_SERVICE_SECRETS.',
    );
  });
}

function folderError(field: string, variable: string, problem: string): ConfigurationError {
  return new ConfigurationError(
    field,
    `A folder in ${variable} cannot be used: ${problem}.`,
    `Create the folder, give this user its rights, or change ${variable}.`,
  );
}
