import { constants, copyFile, link, mkdir, open, rename, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { systemCodeOf } from '../system-error';

export interface WholeFile {
  readonly file: string;
  /** The file's name in the same folder until it is whole. */
  readonly partial: string;
  readonly content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** Keep a file of that name, and write nothing. Default: replaces it. */
  readonly onlyNew?: boolean;
  /** Rights of the file, as far as the process's umask permits them. Default: only this user (0600). */
  readonly mode?: number;
  /** Converts an error of the disk. An error of the content passes unchanged. */
  readonly failed?: (error: unknown) => unknown;
}

const OWNER_ONLY = 0o600;

/**
 * Writes a file that appears only when it is whole. Once it resolves, file and name survive a crash of
 * the machine. A failure keeps the earlier file and leaves nothing else behind.
 */
export async function writeWhole(writing: WholeFile): Promise<void> {
  const { file, content, onlyNew = false } = writing;
  const folder = path.dirname(file);
  const partial = path.join(folder, writing.partial);
  const fail = (error: unknown): never => {
    throw writing.failed === undefined ? error : writing.failed(error);
  };
  const handle = await open(partial, 'wx', writing.mode ?? OWNER_ONLY).catch(fail);
  try {
    for await (const chunk of content) await writeAll(handle, chunk).catch(fail);
    await handle.sync().catch(fail);
    // Some network shares report a failed write only here.
    await handle.close().catch(fail);
    await (onlyNew ? renameToNew : rename)(partial, file).catch(fail);
    await syncFolder(folder).catch(fail);
  } catch (error) {
    // The original failure is thrown.
    await handle.close().catch(() => undefined);
    await rm(partial, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** A share without hard links gets a copy. */
async function renameToNew(partial: string, file: string): Promise<void> {
  const kept = (error: unknown): void => {
    if (systemCodeOf(error) !== 'EEXIST') throw error;
  };
  await link(partial, file).catch((error: unknown) =>
    systemCodeOf(error) === 'EEXIST'
      ? undefined
      : copyFile(partial, file, constants.COPYFILE_EXCL).catch(kept),
  );
  await rm(partial, { force: true });
}

async function writeAll(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.byteLength;) at += (await handle.write(chunk, at)).bytesWritten;
}

/** How a system says that it can't sync this folder. Any other error is one of the disk. */
const NOT_POSSIBLE = new Set([
  ...['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EBADF'],
  // A folder without the right to read it, and every folder on Windows.
  ...['EACCES', 'EPERM', 'EISDIR'],
]);

/** Makes the names in a folder survive a crash of the machine, if the system can do that. Rejects if its disk fails. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(ignoreNotPossible);
  if (handle === undefined) return;
  try {
    await handle.sync().catch(ignoreNotPossible);
  } finally {
    await handle.close();
  }
}

function ignoreNotPossible(error: unknown): undefined {
  if (!NOT_POSSIBLE.has(systemCodeOf(error) ?? '')) throw error;
  return undefined;
}

/**
 * Creates a folder that only this user can use, with its missing parents. Once it resolves, they survive a crash of the
 * machine.
 */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  const topmost = path.resolve(first);
  for (let made = path.resolve(folder); ; made = path.dirname(made)) {
    await syncFolder(path.dirname(made));
    if (made === topmost || made === path.dirname(made)) return;
  }
}
