import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { ConfigurationError } from '../../api/errors';
import type { WorkerConfig } from './worker-config';

export const READ = constants.R_OK | constants.X_OK;
export const READ_AND_WRITE = READ | constants.W_OK;

const FOLDERS = {
  fileRoots: 'A folder that files may be read from',
  outputRoots: 'A folder that batches and reports may be written to',
  spoolDir: 'The spool folder',
  secrets: 'The file or folder of secrets',
} as const;

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
  for (const root of roots) await check('fileRoots', root, READ);
  for (const root of outputRoots) await check('outputRoots', root, READ);
  if (secrets !== undefined) await check('secrets', secrets, READ);
  if (spoolDir !== undefined) await check('spoolDir', spoolDir, READ_AND_WRITE);
}

async function check(setting: keyof typeof FOLDERS, path: string, mode: number): Promise<void> {
  const problem = await wrongWith(path, mode, setting === 'secrets');
  if (problem === undefined) return;
  throw new ConfigurationError(
    setting,
    `${FOLDERS[setting]} can't be used: ${path} ${problem}.`,
    `Create it, give this user its rights, or change {${setting}}.`,
  );
}

/** Returns what is wrong with a path that must allow this; undefined if nothing is. */
export async function wrongWith(path: string, mode: number, mayBeFile: boolean): Promise<string | undefined> {
  if (!isAbsolute(path) && !mayBeFile) return 'is not an absolute path';
  // The next line handles undefined.
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return "does not exist or can't be seen by this user";
  if (!found.isDirectory() && !mayBeFile) return 'is not a folder';
  return access(path, found.isDirectory() ? mode : mode & ~constants.X_OK).then(
    () => undefined,
    () => `can't be ${mode === READ_AND_WRITE ? 'written' : 'read'} by this user`,
  );
}
