import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { ConfigurationError } from '../../api/errors';
import type { WorkerConfig } from './worker-config';

const READ = constants.R_OK | constants.X_OK;
const READ_AND_WRITE = READ | constants.W_OK;

/**
 * Rejects with `Configuration`, which names the folder and its setting, if a root or the secrets can't be read or the
 * spool folder can't be written. An output root only needs to exist, because most workers write nothing and need no
 * permission.
 */
export async function checkFolders({
  roots,
  spoolDir,
  outputRoots = [],
  secrets,
}: Pick<WorkerConfig, 'roots' | 'spoolDir' | 'outputRoots' | 'secrets'>): Promise<void> {
  for (const root of roots) {
    const wrong = await wrongWith(root, READ);
    if (wrong !== undefined) throw folderError('fileRoots', `${root} ${wrong}`);
  }
  for (const root of outputRoots) {
    const wrong = await wrongWith(root, READ);
    if (wrong !== undefined) throw folderError('outputRoots', `${root} ${wrong}`);
  }
  await checkSecrets(secrets);
  if (spoolDir === undefined) return;
  const wrong = await wrongWith(spoolDir, READ_AND_WRITE);
  if (wrong !== undefined) throw folderError('spoolDir', `${spoolDir} ${wrong}`);
}

async function wrongWith(folder: string, mode: number): Promise<string | undefined> {
  if (!isAbsolute(folder)) return 'is not an absolute path';
  // The next line handles undefined.
  const found = await stat(folder).catch(() => undefined);
  if (found === undefined) return "does not exist or can't be seen by this user";
  if (!found.isDirectory()) return 'is not a folder';
  return access(folder, mode).then(
    () => undefined,
    () => `can't be ${mode === READ ? 'read' : 'written'} by this user`,
  );
}

/** A file or a folder. */
async function checkSecrets(secrets: string | undefined): Promise<void> {
  if (secrets === undefined) return;
  await access(secrets, constants.R_OK).catch(() => {
    throw new ConfigurationError(
      'secrets',
      `The secrets can't be used: ${secrets} does not exist or can't be read by this user.`,
      { remedy: { kind: 'fix-worker-folder', setting: 'secrets' } },
    );
  });
}

const FOLDERS = {
  fileRoots: 'A folder that files may be read from',
  outputRoots: 'A folder that batches and reports may be written to',
  spoolDir: 'The spool folder',
} as const;

function folderError(setting: keyof typeof FOLDERS, problem: string): ConfigurationError {
  return new ConfigurationError(setting, `${FOLDERS[setting]} can't be used: ${problem}.`, {
    remedy: { kind: 'fix-worker-folder', setting },
  });
}
