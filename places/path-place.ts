import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import type { Dirent } from 'node:fs';
import { copyFile, link, open, readdir, realpath, rename, rm, stat, unlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { allowedPath } from '../api/upload/sources/path/allowed-path';
import { sourceMissing, systemCodeOf } from '../api/upload/sources/source-failure';
import { outputFailed } from './output-failure';
import { madeOutputPath, outputPath } from './output-path';
import type { PlaceAccess } from './place-access';

type Roots = Pick<PlaceAccess, 'roots' | 'outputRoots'>;

const CHUNK_BYTES = 256 * 1024;
/** Files that are still being written: no reader's business. */
const PARTIAL = /^\..*\.[0-9a-f]{12}\.partial$/;

export interface FileEntry {
  /** Below the folder, with slashes. */
  readonly name: string;
  readonly bytes: number;
  /** Epoch ms. */
  readonly modifiedAt: number;
}

/** The bytes of a file inside the roots. Rejects with `SourceMissing` and `SourceNotAllowed`. */
export async function* readFileAt(
  access: Roots,
  file: string,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  signal?.throwIfAborted();
  const real = await allowedPath(readable(access), file);
  try {
    const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW);
    for await (const chunk of handle.createReadStream({ highWaterMark: CHUNK_BYTES })) {
      signal?.throwIfAborted();
      yield bytesOf(chunk);
    }
  } catch (error) {
    throw systemCodeOf(error) === undefined ? error : sourceMissing(file, error);
  }
}

/**
 * Writes a file that appears only when it is whole and on the disk (fsync), for this user alone (0600); one that is there is replaced. A failure leaves
 * what was there before and nothing else. Rejects with `OutputFailed`.
 */
export async function writeFileAt(
  roots: Pick<PlaceAccess, 'outputRoots'>,
  file: string,
  content: AsyncIterable<Uint8Array>,
): Promise<void> {
  await withPartial(roots, { file, content }, rename);
}

/** The same where nothing of this name is there; false: something is, and stays. Of several that do so at once one succeeds. */
export async function createFileAt(
  roots: Pick<PlaceAccess, 'outputRoots'>,
  file: string,
  content: Uint8Array,
): Promise<boolean> {
  let isNew = true;
  const putNew = async (partial: string, target: string): Promise<void> => {
    // Some network shares know no links.
    await link(partial, target)
      .catch((error: unknown) => {
        if (systemCodeOf(error) === 'EEXIST') throw error;
        return copyFile(partial, target, constants.COPYFILE_EXCL);
      })
      .catch((error: unknown) => {
        if (systemCodeOf(error) !== 'EEXIST') throw error;
        isNew = false;
      });
    await rm(partial, { force: true });
  };
  await withPartial(roots, { file, content: once(content) }, putNew);
  return isNew;
}

async function withPartial(
  { outputRoots }: Pick<PlaceAccess, 'outputRoots'>,
  { file, content }: { readonly file: string; readonly content: AsyncIterable<Uint8Array> },
  put: (partial: string, target: string) => Promise<void>,
): Promise<void> {
  const target = await madeOutputPath(outputRoots, file);
  const partial = path.join(
    path.dirname(target),
    `.${path.basename(target).slice(0, 200)}.${randomBytes(6).toString('hex')}.partial`,
  );
  const failed = (error: unknown): never => {
    throw outputFailed(file, error);
  };
  try {
    const handle = await open(partial, 'wx', 0o600).catch(failed);
    try {
      // What the content itself rejects with is no failure of this disk.
      for await (const chunk of content) await writeAll(handle, chunk).catch(failed);
      await handle.sync().catch(failed);
    } finally {
      await handle.close();
    }
    await put(partial, target).catch(failed);
  } catch (error) {
    await rm(partial, { force: true }).catch(() => undefined);
    throw error;
  }
}

async function* once(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}

/** Whether the file is there; false as well where its folder is missing. Rejects with `SourceNotAllowed` outside the roots. */
export async function hasFileAt(access: Roots, file: string): Promise<boolean> {
  try {
    const facts = await stat(await allowedPath(readable(access), file));
    return facts.isFile();
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/**
 * Every file below a folder, by the bytes of its name, as S3 lists keys. Symbolic links are listed as what they lead to if that lies inside the roots, else
 * left out; links to folders are not followed. A folder that is missing holds nothing.
 */
export async function* listFilesAt(access: Roots, folder: string): AsyncGenerator<FileEntry> {
  const real = await allowedFolder(access, folder);
  if (real !== undefined) yield* filesBelow(access, real, '');
}

async function* filesBelow(access: Roots, folder: string, way: string): AsyncGenerator<FileEntry> {
  const entries = await readdir(path.join(folder, way), { withFileTypes: true }).catch((error: unknown) => {
    throw sourceMissing(path.join(folder, way), error);
  });
  for (const entry of entries.sort(byKey)) {
    const name = way === '' ? entry.name : `${way}/${entry.name}`;
    if (entry.isDirectory()) yield* filesBelow(access, folder, name);
    else if (!PARTIAL.test(entry.name)) yield* fileOf(access, { folder, name, entry });
  }
}

interface Found {
  readonly folder: string;
  readonly name: string;
  readonly entry: Dirent;
}

async function* fileOf(access: Roots, { folder, name, entry }: Found): AsyncGenerator<FileEntry> {
  const file = path.join(folder, name);
  // A plain file of a real folder is where it seems to be. Undefined: gone since, or a link that leads out of the roots.
  const real = entry.isFile() ? file : await allowedPath(readable(access), file).catch(() => undefined);
  const facts = real === undefined ? undefined : await stat(real).catch(() => undefined);
  if (facts?.isFile() !== true) return;
  yield { name, bytes: facts.size, modifiedAt: Math.round(facts.mtimeMs) };
}

/** Removes a file inside the output roots; one that is gone already is removed. */
export async function deleteFileAt(
  { outputRoots }: Pick<PlaceAccess, 'outputRoots'>,
  file: string,
): Promise<void> {
  try {
    await unlink(await outputPath(outputRoots, file));
  } catch (error) {
    if (!isMissing(error)) throw outputFailed(file, error);
  }
}

async function allowedFolder(access: Roots, folder: string): Promise<string | undefined> {
  const roots = readable(access).roots;
  const real = await realpath(folder).catch(() => undefined);
  const realRoots = await Promise.all(roots.map((root) => realpath(root).catch(() => undefined)));
  if (real !== undefined && realRoots.includes(real)) return real;
  try {
    return await allowedPath({ roots }, folder);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function readable({ roots, outputRoots }: Roots): { roots: readonly string[] } {
  return { roots: [...roots, ...outputRoots] };
}

/** A folder sorts as its name with a slash: the order of whole keys. */
function byKey(a: Dirent, b: Dirent): number {
  const key = (entry: Dirent): Buffer => Buffer.from(entry.isDirectory() ? `${entry.name}/` : entry.name);
  return Buffer.compare(key(a), key(b));
}

async function writeAll(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.byteLength;) at += (await handle.write(chunk, at)).bytesWritten;
}

function isMissing(error: unknown): boolean {
  const cause = error instanceof Error && systemCodeOf(error) === undefined ? error.cause : error;
  return ['ENOENT', 'ENOTDIR'].includes(systemCodeOf(cause) ?? '');
}

function bytesOf(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  throw new TypeError('A file gave no bytes.');
}
