import { opendir, readlink, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { MediaServiceError } from '../../../errors';
import { mayPass, sourceUnavailable, sourceUnreadable, systemCodeOf } from '../source-failure';
import { isBelow, isInsideFolders } from './inside-folders';

/** Links in a loop end somewhere. */
const MAX_HOPS = 256;
/** Inode of each root when this process last saw it, at its start or when it found a file there. */
const inodes = new Map<string, bigint>();
/** When that was, ms. */
const notedAt = new Map<string, number>();
/** A root that was seen so short ago need not be looked at for every file. */
const NOTED_FOR_MS = 1_000;

/** Remembers the roots that a file lies below, since it was just found there. */
export async function noteRootsOf(file: string, roots: readonly string[]): Promise<void> {
  const below = roots.filter((root) => isBelow(path.resolve(file), path.resolve(root)));
  if (below.length > 0 && below.every(isNoted)) return;
  for (const root of await rootsOf(file, roots)) await noteRoot(root);
}

function isNoted(root: string): boolean {
  return performance.now() - (notedAt.get(path.resolve(root)) ?? -Infinity) < NOTED_FOR_MS;
}

/** Remembers a root that is there. */
export async function noteRoot(root: string): Promise<void> {
  const facts = await stat(root, { bigint: true }).catch(() => undefined);
  if (facts === undefined) return;
  inodes.set(path.resolve(root), facts.ino);
  notedAt.set(path.resolve(root), performance.now());
}

/**
 * The error of a path that could not be read. A file is `SourceMissing` only if its root is there, and it was looked for since that is known:
 * the root may have come back after the error. It has no cause while a root is away: the file's own ENOENT would say that it is missing.
 */
export async function unreadablePath(
  file: string,
  roots: readonly string[],
  error: unknown,
): Promise<MediaServiceError> {
  const away = await sourceBehindAwayRoot(file, roots);
  if (away !== undefined) return away;
  if (systemCodeOf(error) === 'ENOENT' && (await isThere(file))) {
    return sourceUnavailable(file, 'was not there for a moment', { hint: HINT_OF_AWAY_ROOT });
  }
  return (await sourceBehindAwayRoot(file, roots)) ?? sourceUnreadable(file, error);
}

async function isThere(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}

/** `SourceUnavailable` if a root that the file lies below is away; undefined if all of them are there. */
export async function sourceBehindAwayRoot(
  file: string,
  roots: readonly string[],
): Promise<MediaServiceError | undefined> {
  const away = await awayRootOf(file, roots);
  if (away === undefined) return undefined;
  return sourceUnavailable(file, `can’t be read for now: the folder ${away.root} ${away.why}`, {
    hint: HINT_OF_AWAY_ROOT,
  });
}

export const HINT_OF_AWAY_ROOT =
  'Mount its disk or network share again: what runs goes on by itself then. If another folder is meant, restart the worker.';

export interface AwayRoot {
  readonly root: string;
  /** Ends the sentence "the folder …". */
  readonly why: string;
  /** This process saw it before. */
  readonly wasThere: boolean;
}

/**
 * A root that the file lies below and that is away: it is gone, it does not answer, or another folder is in its place that is empty, as the
 * one that a share was mounted at.
 */
export async function awayRootOf(file: string, roots: readonly string[]): Promise<AwayRoot | undefined> {
  for (const root of await rootsOf(file, roots)) {
    const why = await whyAway(root);
    if (why !== undefined) return { root, why, wasThere: inodes.has(path.resolve(root)) };
  }
  return undefined;
}

/** By their names, with and without the links on the way that can be followed. */
async function rootsOf(file: string, roots: readonly string[]): Promise<readonly string[]> {
  const ways = [path.resolve(file), await followed(path.resolve(file))];
  const inside: string[] = [];
  for (const root of roots) {
    for (const way of ways) {
      if (!inside.includes(root) && (await isInsideFolders(way, [root], false))) inside.push(root);
    }
  }
  return inside;
}

/** The path with its links followed, also below what is not there: a link may lead to a share that is away. */
async function followed(file: string): Promise<string> {
  let [there, below] = [file, ''];
  for (let hops = 0; hops < MAX_HOPS; hops += 1) {
    const real = await realpath(there).catch(() => undefined);
    if (real !== undefined) return path.join(real, below);
    const link = await readlink(there).catch(() => undefined);
    if (link !== undefined) there = path.resolve(path.dirname(there), link);
    else [there, below] = [path.dirname(there), path.join(path.basename(there), below)];
  }
  return file;
}

async function whyAway(root: string): Promise<string | undefined> {
  try {
    const { ino } = await stat(root, { bigint: true });
    const before = inodes.get(path.resolve(root));
    if (before === undefined || before === ino || !(await isEmpty(root))) return undefined;
    return 'is not the one that was there before, and empty';
  } catch (error) {
    if (mayPass(error)) return `does not answer (${systemCodeOf(error) ?? 'unknown reason'})`;
    return systemCodeOf(error) === 'ENOENT' ? 'is not there' : undefined;
  }
}

async function isEmpty(folder: string): Promise<boolean> {
  const entries = await opendir(folder);
  try {
    return (await entries.read()) === null;
  } finally {
    await entries.close();
  }
}
