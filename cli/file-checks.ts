import { access, stat, statfs } from 'node:fs/promises';
import { constants } from 'node:fs';
import type { S3Objects } from '../files/s3/s3-objects';
import { readAccounts } from '../settings/accounts/read-accounts';
import type { Settings } from '../settings/settings';
import { ownVariables, readSettingsFile, settingsFilePath } from '../settings/settings-file';
import { VARIABLES } from '../settings/variables';
import type { CliContext } from './context';
import type { Finding } from './doctor-checks';
import { formatBytes } from './output/plain-text';

const SPOOL_WARN_BYTES = 10_000_000_000;

export async function checkOutputRoots({ outputRoots }: Settings, cwd: string): Promise<Finding> {
  const check = 'output roots';
  const { name } = VARIABLES.outputRoots;
  if (outputRoots === undefined) {
    const says = `${name} is not set: a worker started here writes batches and reports only to ${cwd}`;
    return { check, state: 'skip', says };
  }
  const writable = await Promise.all(outputRoots.map(mayWrite));
  const closed = outputRoots.filter((_root, index) => writable[index] !== true);
  if (closed.length === 0) return { check, state: 'ok', says: outputRoots.join(', ') };
  return {
    check,
    state: 'fail',
    says: `can't be written: ${closed.join(', ')}`,
    remedy: `Create them, give this user the right to write them, or remove them from ${name}.`,
  };
}

export async function checkSecrets({ secrets }: Settings): Promise<Finding> {
  const check = 'secrets';
  const { name } = VARIABLES.secrets;
  if (secrets === undefined) {
    return { check, state: 'skip', says: `${name} is not set: sources and reports can't use named secrets` };
  }
  // A path that can't be seen can't be read, and the check below says so.
  const facts = await stat(secrets).catch(() => undefined);
  if (facts !== undefined && (await mayRead(secrets, facts.isDirectory())))
    return { check, state: 'ok', says: secrets };
  return {
    check,
    state: 'fail',
    says: `${secrets} can't be read`,
    remedy: `Create it, give this user the right to read it, or change ${name}.`,
  };
}

/**
 * Checks the accounts that a worker with this environment would serve. Rejects with everything that is wrong in them.
 */
export async function checkAccounts({ accountsPath = '' }: Settings): Promise<Finding> {
  const { length } = await readAccounts(accountsPath);
  return {
    check: 'accounts',
    state: 'ok',
    says: `${accountsPath}: ${String(length)} account${length === 1 ? '' : 's'}`,
  };
}

/** Checks whether the named buckets can be listed with the credentials of this environment. */
export async function checkS3(
  { s3: settings }: Settings,
  s3: S3Objects,
  signal: AbortSignal,
): Promise<Finding> {
  const check = 'S3';
  const { endpoint = "Amazon's", buckets = [] } = settings;
  if (buckets.length === 0) {
    const says = `${endpoint}; ${VARIABLES.s3Buckets.name} names no bucket to check`;
    return { check, state: 'skip', says };
  }
  await Promise.all(buckets.map((bucket) => lookInto(s3, bucket, signal)));
  return { check, state: 'ok', says: `${endpoint}: ${buckets.join(', ')}` };
}

/** Reads one page of its list; rejects as `S3Objects` does. */
async function lookInto(s3: S3Objects, bucket: string, signal: AbortSignal): Promise<void> {
  await s3.list(bucket, '', signal)[Symbol.asyncIterator]().next();
}

export async function checkRoots({ fileRoots }: Settings, cwd: string): Promise<Finding> {
  const { name } = VARIABLES.fileRoots;
  if (fileRoots === undefined) {
    return {
      check: 'file roots',
      state: 'warn',
      says: `${name} is not set: a worker started here reads only ${cwd}, and n8n reads no files`,
      remedy: `Set ${name} to the folders that hold your files.`,
    };
  }
  const readable = await Promise.all(fileRoots.map((root) => mayRead(root)));
  const unreadable = fileRoots.filter((_root, index) => readable[index] !== true);
  if (unreadable.length === 0) return { check: 'file roots', state: 'ok', says: fileRoots.join(', ') };
  return {
    check: 'file roots',
    state: 'fail',
    says: `can't be read: ${unreadable.join(', ')}`,
    remedy: `Create them, give this user the right to read them, or remove them from ${name}.`,
  };
}

export async function checkSpool({ spoolDir }: Settings): Promise<Finding> {
  const { name } = VARIABLES.spoolDir;
  if (spoolDir === undefined) {
    return {
      check: 'spool folder',
      state: 'skip',
      says: `${name} is not set: sources without Range requests are refused`,
    };
  }
  // Undefined fails the check below.
  const space = await statfs(spoolDir).catch(() => undefined);
  if (space === undefined || !(await mayWrite(spoolDir))) {
    return {
      check: 'spool folder',
      state: 'fail',
      says: `${spoolDir} can't be written`,
      remedy: `Create it, or set ${name} to another folder.`,
    };
  }
  const room = space.bavail * space.bsize;
  if (room >= SPOOL_WARN_BYTES)
    return {
      check: 'spool folder',
      state: 'ok',
      says: `${spoolDir}, room for ${formatBytes(room)} of copies`,
    };
  return {
    check: 'spool folder',
    state: 'warn',
    says: `${spoolDir} has room for only ${formatBytes(room)} of copies`,
    remedy: 'A source that is copied there first needs as much space as it has bytes.',
  };
}

/** Which settings other terminals have, too. Both answers are fine, so neither is a mistake. */
export function checkSettingsFile({
  cwd,
  env,
  fromSettingsFile,
}: Pick<CliContext, 'cwd' | 'env' | 'fromSettingsFile'>): Finding {
  const check = 'settings file';
  const path = settingsFilePath(env);
  const file = path === undefined ? {} : readSettingsFile(path);
  const own = Object.entries(ownVariables(env, cwd, fromSettingsFile)).filter(
    ([name, value]) => file[name] !== value,
  );
  const saved = Object.keys(file);
  const inFile = saved.length === 0 ? 'no settings are saved' : `${path ?? ''} has ${saved.join(', ')}`;
  if (own.length === 0) return { check, state: 'ok', says: inFile };
  return {
    check,
    state: 'skip',
    says: `only this terminal sets ${own.map(([name]) => name).join(', ')}; ${inFile}`,
    remedy: 'Run `media-service login`, so that every terminal and its worker use them.',
  };
}

/** Whether this user may read the folder, or the file. */
function mayRead(path: string, isFolder = true): Promise<boolean> {
  return may(path, constants.R_OK | (isFolder ? constants.X_OK : 0));
}

/** Whether this user may write into the folder. */
function mayWrite(folder: string): Promise<boolean> {
  return may(folder, constants.W_OK | constants.X_OK);
}

function may(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}
