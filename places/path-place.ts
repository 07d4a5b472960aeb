import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import type { Dirent } from 'node:fs';
import { copyFile, link, lstat, open, readdir, realpath, rm, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { openFolder } from '../api/disk/open-folder';
import type { WholeFile } from '../api/disk/write-whole';
import { writeWhole } from '../api/disk/write-whole';
import { MediaServiceError } from '../api/errors';
import { allowedPath } from '../api/upload/sources/path/allowed-path';
import {
  HINT_OF_AWAY_ROOT,
  sourceBehindAwayRoot,
  unreadablePath,
} from '../api/upload/sources/path/away-root';
import { openAllowed } from '../api/upload/sources/path/open-allowed';
import { sourceUnavailable, systemCodeOf } from '../api/upload/sources/source-failure';
import { outputFailed } from './output-failure';
import { inOutputFolder } from './output-path';
import type { PlaceAccess } from './place-access';

type Roots = Pick<PlaceAccess, 'roots' | 'outputRoots'>;

const SLASH = Buffer.from('/');
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

/** The bytes of a file inside the roots. Rejects as `allowedPath`. */
export async function* readFileAt(
  access: Roots,
  file: string,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  signal?.throwIfAborted();
  const { roots } = readable(access);
  const handle = await openAllowed({ roots }, file);
  try {
    for await (const chunk of handle.createReadStream({ highWaterMark: CHUNK_BYTES })) {
      signal?.throwIfAborted();
      yield bytesOf(chunk);
    }
  } catch (error) {
    throw systemCodeOf(error) === undefined ? error : await unreadablePath(file, roots, error);
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
  await writeInFolder(roots, { file, content });
}

/** The same where nothing of this name is there; false: something is, and stays. Of several that do so at once one succeeds. */
export async function createFileAt(
  roots: Pick<PlaceAccess, 'outputRoots'>,
  file: string,
  content: Uint8Array,
): Promise<boolean> {
  let isNew = true;
  const put = async (partial: string, target: string): Promise<void> => {
    // Some network shares know no links.
    await link(partial, target)
      .catch((error: unknown) => {
        if (systemCodeOf(error) === 'EEXIST') throw error;
        return copyWhole(partial, target);
      })
      .catch((error: unknown) => {
        if (systemCodeOf(error) !== 'EEXIST') throw error;
        isNew = false;
      });
    await rm(partial, { force: true });
  };
  await writeInFolder(roots, { file, content: [content], put });
  return isNew;
}

/** Of a file that is there nothing is touched. */
async function copyWhole(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_EXCL);
  const copy = await open(to, 'r+');
  await copy.sync().finally(() => copy.close());
}

function writeInFolder(
  { outputRoots }: Pick<PlaceAccess, 'outputRoots'>,
  { file, ...writing }: { readonly file: string } & Pick<WholeFile, 'content' | 'put'>,
): Promise<void> {
  return inOutputFolder({ outputRoots, file, make: true }, (folder, name) =>
    writeWhole({
      ...writing,
      folder,
      name,
      partial: `.${name.slice(0, 200)}.${randomBytes(6).toString('hex')}.partial`,
      failed: (error) => outputFailed(file, error),
    }),
  );
}

/** Whether the file is there; false as well if its folder is missing. Rejects with `SourceNotAllowed` outside the roots, and with `SourceUnavailable` while its root is away. */
export async function hasFileAt(access: Roots, file: string): Promise<boolean> {
  const { roots } = readable(access);
  try {
    const facts = await stat(await allowedPath({ roots }, file)).catch(async (error: unknown) => {
      throw systemCodeOf(error) === undefined ? error : await unreadablePath(file, roots, error);
    });
    return facts.isFile();
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Why something below a folder is no file that can be read. */
export type LeftOutReason =
  'badName' | 'linkedOutside' | 'linkedFolder' | 'deadLink' | 'noRegularFile' | 'unreadable' | 'gone';

export interface LeftOut {
  /** As `FileEntry.name`; a byte that is no UTF-8 is shown as U+FFFD, a folder's ends in a slash. */
  readonly name: string;
  readonly leftOut: LeftOutReason;
}

/**
 * Every file below a folder, by the bytes of its name, as S3 lists keys. Symbolic links are listed as what they lead to if that lies inside the roots, else
 * left out; links to folders are not followed. A folder that is missing holds nothing.
 */
export async function* listFilesAt(access: Roots, folder: string): AsyncGenerator<FileEntry> {
  for await (const found of surveyFilesAt(access, folder)) if (!('leftOut' in found)) yield found;
}

/** The same, and in its turn each thing that is left out. `maxDepth`: folders are entered so many levels down, 0 for none; default all. */
export async function* surveyFilesAt(
  access: Roots,
  folder: string,
  maxDepth = Infinity,
): AsyncGenerator<FileEntry | LeftOut> {
  const real = await allowedFolder(access, folder);
  if (real !== undefined) yield* filesBelow(access, real, { way: '', maxDepth });
}

interface Below {
  readonly way: string;
  readonly maxDepth: number;
}

async function* filesBelow(
  access: Roots,
  folder: string,
  { way, maxDepth }: Below,
): AsyncGenerator<FileEntry | LeftOut> {
  for (const entry of await entriesOf(access, path.join(folder, way))) {
    const own = entry.name.toString();
    const name = way === '' ? own : `${way}/${own}`;
    if (!isUtf8(entry.name)) yield { name: entry.isDirectory() ? `${name}/` : name, leftOut: 'badName' };
    else if (entry.isDirectory()) {
      if (maxDepth > 0) yield* filesBelow(access, folder, { way: name, maxDepth: maxDepth - 1 });
    } else if (!PARTIAL.test(own)) yield await fileOf(access, { folder, name, entry });
  }
}

/** In the order of whole keys; none if a link took the folder's place. */
async function entriesOf(access: Roots, folder: string): Promise<Dirent<Buffer>[]> {
  try {
    const open = await openFolder(folder);
    if (open === undefined) return [];
    // As bytes, since a name that is no UTF-8 would come as that of another file.
    const entries = await readdir(open.at('.'), { encoding: 'buffer', withFileTypes: true }).finally(() =>
      open.close(),
    );
    return entries.sort(byKey);
  } catch (error) {
    throw await unreadablePath(folder, readable(access).roots, error);
  }
}

interface Found {
  readonly folder: string;
  readonly name: string;
  readonly entry: Dirent<Buffer>;
}

async function fileOf(access: Roots, { folder, name, entry }: Found): Promise<FileEntry | LeftOut> {
  const file = path.join(folder, name);
  const isLink = entry.isSymbolicLink();
  try {
    // A plain file of a real folder is where it seems to be.
    const facts = await stat(entry.isFile() ? file : await allowedPath(readable(access), file));
    if (facts.isFile()) return { name, bytes: facts.size, modifiedAt: Math.round(facts.mtimeMs) };
    return { name, leftOut: isLink && facts.isDirectory() ? 'linkedFolder' : 'noRegularFile' };
  } catch (error) {
    const away = await sourceBehindAwayRoot(file, readable(access).roots);
    if (away !== undefined) throw away;
    return { name, leftOut: await whyLeftOut(error, file) };
  }
}

async function whyLeftOut(error: unknown, file: string): Promise<LeftOutReason> {
  if (error instanceof MediaServiceError && error.code === 'SourceNotAllowed') {
    const facts = await stat(file).catch(() => undefined);
    return facts?.isDirectory() === true ? 'linkedFolder' : 'linkedOutside';
  }
  if (!isMissing(error) && systemCodeOf(causeOf(error)) !== 'ELOOP') return 'unreadable';
  return (await lstat(file).catch(() => undefined)) === undefined ? 'gone' : 'deadLink';
}

/** Removes a file inside the output roots; one that is gone already is removed. */
export async function deleteFileAt(
  { outputRoots }: Pick<PlaceAccess, 'outputRoots'>,
  file: string,
): Promise<void> {
  try {
    await inOutputFolder({ outputRoots, file }, (folder, name) => unlink(folder.at(name)));
  } catch (error) {
    if (!isMissing(error)) throw outputFailed(file, error);
  }
}

async function allowedFolder(access: Roots, folder: string): Promise<string | undefined> {
  const roots = readable(access).roots;
  const real = await realpath(folder).catch(() => undefined);
  const realRoots = await Promise.all(roots.map((root) => realpath(root).catch(() => undefined)));
  if (real !== undefined && realRoots.includes(real)) return real;
  if (roots.some((root) => path.resolve(root) === path.resolve(folder)))
    throw sourceUnavailable(folder, 'is not there', { hint: HINT_OF_AWAY_ROOT });
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
function byKey(a: Dirent<Buffer>, b: Dirent<Buffer>): number {
  const key = (entry: Dirent<Buffer>): Buffer =>
    entry.isDirectory() ? Buffer.concat([entry.name, SLASH]) : entry.name;
  return Buffer.compare(key(a), key(b));
}

function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(systemCodeOf(causeOf(error)) ?? '');
}

/** What the file system said. */
function causeOf(error: unknown): unknown {
  return error instanceof Error && systemCodeOf(error) === undefined ? error.cause : error;
}

function bytesOf(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  throw new TypeError('A file gave no bytes.');
}
