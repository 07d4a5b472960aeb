import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { lstat, mkdir, open, readlink, realpath } from 'node:fs/promises';
import path from 'node:path';
import { systemCodeOf } from '../system-error';
import { OPEN_FILES, openedPath } from './opened-path';
import { syncFolder, syncHandle } from './sync-folder';

/** A folder to work in. */
export interface Folder {
  /** Path of an entry in the folder. */
  at(name: string): string;
  /** Once it resolves, the folder's names survive a crash of the machine, if the file system supports that. */
  sync(): Promise<void>;
}

interface OpenFolder extends Folder {
  close(): Promise<void>;
}

/** A folder by its path. */
export function folderAt(folder: string): Folder {
  return { at: (name) => path.join(folder, name), sync: () => syncFolder(folder) };
}

/**
 * Opens the folder at a real path. Undefined: the path now contains a link. On Linux, entries are reached through
 * the open folder, so that they stay in it even if the path changes. Other systems use the path. Rejects as the file
 * system does, and with ESTALE if the folder was moved or unmounted while it was opened.
 */
export async function openFolder(real: string): Promise<OpenFolder | undefined> {
  // Windows can't open folders.
  if (process.platform === 'win32') return { ...folderAt(real), close: () => Promise.resolve() };
  const handle = await openDirectory(real).catch(async (error: unknown) => {
    if (await isLink(real)) return undefined;
    throw error;
  });
  if (handle === undefined) return undefined;
  try {
    if ((await openedPath(handle, real)) === real) return await throughHandle(handle, real);
    if (!(await isLinked(real))) throw movedAway(real);
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  return undefined;
}

/**
 * The same for a folder below an existing one at a real path. It creates the missing folders on the way, private to
 * this user and durable. Undefined also if another process put a link there meanwhile.
 */
export async function openMadeFolder(
  real: string,
  missing: readonly string[],
): Promise<OpenFolder | undefined> {
  const openThere = (there: string): Promise<OpenFolder | undefined> =>
    openFolder(there).catch((error: unknown) => {
      throw systemCodeOf(error) === 'ENOENT' ? movedAway(there) : error;
    });
  let folder = await openThere(real);
  let there = real;
  for (const name of missing) {
    if (folder === undefined) return undefined;
    const above: OpenFolder = folder;
    there = path.join(there, name);
    try {
      await makeIn(above, name);
      folder = await openThere(there);
    } finally {
      await above.close();
    }
  }
  return folder;
}

async function makeIn(folder: Folder, name: string): Promise<void> {
  try {
    await mkdir(folder.at(name), { mode: 0o700 });
    await folder.sync();
  } catch (error) {
    if (systemCodeOf(error) !== 'EEXIST') throw error;
  }
}

const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Linux only: opens a folder that this user may enter but not list. Node has no name for it. */
const PATH_ONLY = 0o10000000;

function openDirectory(real: string): Promise<FileHandle> {
  return open(real, DIRECTORY).catch((error: unknown) => {
    if (systemCodeOf(error) !== 'EACCES' || process.platform !== 'linux') throw error;
    return open(real, DIRECTORY | PATH_ONLY);
  });
}

function isLink(file: string): Promise<boolean> {
  return lstat(file).then(
    (facts) => facts.isSymbolicLink(),
    () => false,
  );
}

function isLinked(file: string): Promise<boolean> {
  return realpath(file).then(
    (there) => there !== file,
    () => false,
  );
}

function movedAway(folder: string): Error {
  const message = `ESTALE: the folder was moved while it was opened, open '${folder}'`;
  return Object.assign(new Error(message), { code: 'ESTALE', syscall: 'open' });
}

async function throughHandle(handle: FileHandle, real: string): Promise<OpenFolder> {
  const own = `${OPEN_FILES}/${handle.fd}`;
  // Undefined: this system has no such links.
  const isShown = (await readlink(own).catch(() => undefined)) !== undefined;
  return {
    at: (name) => path.join(isShown ? own : real, name),
    sync: () => syncHandle(handle),
    close: () => handle.close(),
  };
}
