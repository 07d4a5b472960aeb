import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { lstat, open, realpath, rename, rm, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { ValidationError } from '../../api/errors';
import { outputFailed } from '../errors/output-failure';

export interface Destination {
  readonly cwd: string;
  readonly path: string;
  /** Replace a file that is there already. */
  readonly replace: boolean;
  /** Only this user may read it (0600). Unset: as the process's umask says. */
  readonly ownerOnly?: boolean;
}

const OWNER_ONLY = 0o600;

/**
 * Writes pieces of text to a file that appears only when it is whole: until then it is called `<name>.<random>.part`, and a failure or the process's end
 * removes that. A symbolic link stays, and what it leads to is replaced. Throws a `ValidationError` on `--output` where the file exists, is a folder, no
 * regular file or cannot be opened, before the first piece is asked for; `OutputFailed` where it takes no more.
 */
export async function writeWholeFile(
  { cwd, path, replace, ownerOnly = false }: Destination,
  pieces: AsyncIterable<string> | Iterable<string>,
): Promise<{ path: string; bytes: number }> {
  const target = resolve(cwd, path);
  const real = await replaceable(target, replace);
  // Short enough for any name, whatever bytes its characters take.
  const partial = join(
    dirname(real),
    `${basename(real).slice(0, 50)}.${randomBytes(6).toString('hex')}.part`,
  );
  const file = await open(partial, 'wx', ownerOnly ? OWNER_ONLY : undefined).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ValidationError(
      '--output',
      `${target} can’t be written: ${reason}`,
      'Choose a folder that exists and may be written.',
    );
  });
  const failed = (error: NodeJS.ErrnoException): never => {
    throw outputFailed(target, error);
  };
  // A second Ctrl-C ends the process at once.
  const tidy = (): void => rmSync(partial, { force: true });
  process.once('exit', tidy);
  try {
    const bytes = await writeAll(file, pieces, failed);
    await file.close().catch(failed);
    await rename(partial, real).catch(failed);
    return { path: target, bytes };
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(partial, { force: true });
    throw error;
  } finally {
    process.off('exit', tidy);
  }
}

/** Where the file itself lies, links followed. */
async function replaceable(target: string, replace: boolean): Promise<string> {
  const refused = (why: string, hint: string): ValidationError =>
    new ValidationError('--output', `${target} ${why}.`, hint);
  const there = await stat(target).catch(() => undefined);
  if (there === undefined) {
    const link = await lstat(target).catch(() => undefined);
    if (link === undefined) return target;
    throw refused('is a link to something that is not there', 'Name the file itself, or remove the link.');
  }
  if (there.isDirectory()) throw refused('is a folder', 'Name a file in it.');
  if (!there.isFile()) {
    throw refused(
      'is not a regular file, so it can’t be replaced',
      'Leave --output away, and redirect stdout to it.',
    );
  }
  if (!replace) throw refused('exists already', 'Choose another name, or replace it with --force.');
  return realpath(target);
}

async function writeAll(
  file: FileHandle,
  pieces: AsyncIterable<string> | Iterable<string>,
  failed: (error: NodeJS.ErrnoException) => never,
): Promise<number> {
  let bytes = 0;
  for await (const piece of pieces) {
    // Not `write`, which may take a part of a piece on a disk that is nearly full.
    await file.appendFile(piece).catch(failed);
    bytes += Buffer.byteLength(piece);
  }
  return bytes;
}
