import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { readdir, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { given } from '../api/json';
import { writeWhole } from './disk/write-whole';
import { hasCode } from '../api/errors';
import { allowedPath, openReal, sourceBehindAwayRoot, unreadablePath } from './allowed-path';
import { systemCodeOf } from './system-error';
import { outputFailed, outputPath, outputPathInFolder } from './output-path';
import type { FileAccess } from './output-path';

type Roots = Pick<FileAccess, 'roots' | 'outputRoots'>;

const SLASH = Buffer.from('/');
const CHUNK_BYTES = 256 * 1024;
/** Files that are still being written. Readers ignore them. */
const PARTIAL = /^\..*\.[0-9a-f]{12}\.partial$/;

export interface DiskEntry {
  /** Relative to the folder, with slashes. */
  readonly name: string;
  readonly bytes: number;
  /** Of the last write, epoch ms. */
  readonly writtenAt: number;
}

/** Reads the bytes of a file inside the roots. Rejects as `allowedPath` does. */
export async function* readDiskFile(
  access: Roots,
  file: string,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  signal?.throwIfAborted();
  const roots = readable(access);
  const handle = await openReal(await allowedPath(roots, file), roots, file);
  try {
    const stream: AsyncIterable<Buffer> = handle.createReadStream({ highWaterMark: CHUNK_BYTES });
    for await (const chunk of stream) {
      signal?.throwIfAborted();
      yield chunk;
    }
  } catch (error) {
    throw systemCodeOf(error) === undefined ? error : await unreadablePath(file, roots, error);
  }
}

/**
 * Writes a file that appears only when it is whole and safely on disk (fsync). Only this user can read it (0600). It
 * replaces an existing file. A failure keeps the earlier file and leaves nothing else behind. Rejects with
 * `OutputFailed`.
 */
export async function writeDiskFile(
  { outputRoots, fileMode: mode, onlyNew }: Pick<FileAccess, 'outputRoots' | 'fileMode' | 'onlyNew'>,
  file: string,
  content: AsyncIterable<Uint8Array>,
): Promise<void> {
  await writeWhole({
    ...given({ mode, onlyNew }),
    content,
    file: await outputPathInFolder(outputRoots, file),
    partial: `.${path.basename(file).slice(0, 200)}.${randomBytes(6).toString('hex')}.partial`,
    failed: (error) => outputFailed(file, error),
  });
}

/** Why an entry below a folder is not a readable file. */
type LeftOutReason = 'badName' | 'linkedOutside' | 'linkedFolder' | 'noRegularFile' | 'unreadable';

export interface LeftOut {
  /** Like `DiskEntry.name`. Bytes that are not UTF-8 become U+FFFD; a folder's name ends in a slash. */
  readonly name: string;
  readonly leftOut: LeftOutReason;
}

/**
 * Yields every file below a folder, and everything that is left out, sorted by the bytes of its name, as S3 lists keys.
 * A symbolic link is listed as its target if that is inside the roots, else left out. Links to folders are not followed.
 * A missing folder has no files. `maxDepth`: how many levels of folders it enters, 0 for none; default all.
 */
export async function* surveyDiskFiles(
  access: Roots,
  folder: string,
  maxDepth = Infinity,
): AsyncGenerator<DiskEntry | LeftOut> {
  const real = await allowedPath(readable(access), folder).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
    return undefined;
  });
  if (real !== undefined) yield* filesBelow(access, real, { way: '', maxDepth });
}

async function* filesBelow(
  access: Roots,
  folder: string,
  { way, maxDepth }: { readonly way: string; readonly maxDepth: number },
): AsyncGenerator<DiskEntry | LeftOut> {
  const entries = await entriesOf(access, path.join(folder, way)).catch((error: unknown) => {
    if (way === '' || hasCode(error, 'SourceUnavailable')) throw error;
    return undefined;
  });
  if (entries === undefined) yield { name: `${way}/`, leftOut: 'unreadable' };
  for (const entry of entries ?? []) {
    const own = entry.name.toString();
    const name = way === '' ? own : `${way}/${own}`;
    if (!isUtf8(entry.name)) yield { name: entry.isDirectory() ? `${name}/` : name, leftOut: 'badName' };
    else if (entry.isDirectory()) {
      if (maxDepth > 0) yield* filesBelow(access, folder, { way: name, maxDepth: maxDepth - 1 });
    } else if (!PARTIAL.test(own)) yield await fileOf(access, path.join(folder, name), { name, entry });
  }
}

/** Returns entries in the order of whole keys. */
async function entriesOf(access: Roots, folder: string): Promise<Dirent<Buffer>[]> {
  // As bytes: as text, a name that is not UTF-8 would look like another file's name.
  const listing = readdir(folder, { encoding: 'buffer', withFileTypes: true });
  const entries = await listing.catch(async (error: unknown) => {
    throw await unreadablePath(folder, readable(access), error);
  });
  return entries.sort(byKey);
}

async function fileOf(
  access: Roots,
  file: string,
  { name, entry }: { readonly name: string; readonly entry: Dirent<Buffer> },
): Promise<DiskEntry | LeftOut> {
  const isLink = entry.isSymbolicLink();
  try {
    const facts = await stat(file);
    if (!facts.isFile())
      return { name, leftOut: isLink && facts.isDirectory() ? 'linkedFolder' : 'noRegularFile' };
    // A plain file in a real folder needs no check of its path.
    if (isLink) await allowedPath(readable(access), file);
    return { name, bytes: facts.size, writtenAt: facts.mtimeMs };
  } catch (error) {
    const away = await sourceBehindAwayRoot(file, readable(access));
    if (away !== undefined) throw away;
    return { name, leftOut: hasCode(error, 'SourceNotAllowed') ? 'linkedOutside' : 'unreadable' };
  }
}

/** Removes a file inside the output roots. A missing file counts as removed. */
export async function deleteDiskFile(
  { outputRoots }: Pick<FileAccess, 'outputRoots'>,
  file: string,
): Promise<void> {
  try {
    await unlink(await outputPath(outputRoots, file));
  } catch (error) {
    if (!isMissing(error)) throw outputFailed(file, error);
  }
}

function readable({ roots, outputRoots }: Roots): readonly string[] {
  return [...roots, ...outputRoots];
}

/** A folder sorts as its name with a slash, which is the order of whole keys. */
function byKey(a: Dirent<Buffer>, b: Dirent<Buffer>): number {
  const key = (entry: Dirent<Buffer>): Buffer =>
    entry.isDirectory() ? Buffer.concat([entry.name, SLASH]) : entry.name;
  return Buffer.compare(key(a), key(b));
}

/** Returns whether the file does not exist, or a folder above it. */
export function isMissing(error: unknown): boolean {
  // The original error of the file system.
  const own = error instanceof Error && systemCodeOf(error) === undefined ? error.cause : error;
  return ['ENOENT', 'ENOTDIR'].includes(systemCodeOf(own) ?? '');
}
