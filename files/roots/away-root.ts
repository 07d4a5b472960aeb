import { opendir, readlink, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { MediaServiceError } from '../../api/errors';
import { mayPass, systemCodeOf } from '../system-error';
import { sourceUnavailable, sourceUnreadable } from '../read-failure';
import { isBelow, isInsideFolders } from './inside-folders';

/** Stops at links in a loop. */
const MAX_HOPS = 256;
/** Inode of each root when this process last saw it, at its start or when it found a file there. */
const inodes = new Map<string, bigint>();
/** When that was, ms. */
const notedAt = new Map<string, number>();
/** A root that was seen this recently is not checked again for every file. */
const NOTED_FOR_MS = 1_000;
/** How often a missing file is looked for. */
const LOOKS = 3;

/** Remembers the roots above a file that was just found. */
export async function noteRootsOf(file: string, roots: readonly string[]): Promise<void> {
  const below = roots.filter((root) => isBelow(path.resolve(file), path.resolve(root)));
  if (below.length > 0 && below.every(isNoted)) return;
  for (const root of await rootsOf(file, roots)) await noteRoot(root);
}

function isNoted(root: string): boolean {
  return performance.now() - (notedAt.get(path.resolve(root)) ?? -Infinity) < NOTED_FOR_MS;
}

/** Remembers a root that is available. */
export async function noteRoot(root: string): Promise<void> {
  const facts = await stat(root, { bigint: true }).catch(() => undefined);
  if (facts === undefined) return;
  inodes.set(path.resolve(root), facts.ino);
  notedAt.set(path.resolve(root), performance.now());
}

/**
 * Makes the error for a path that could not be read. While a root is unavailable, the error has no cause: the file's own
 * ENOENT would say that it is missing.
 */
export async function unreadablePath(
  file: string,
  roots: readonly string[],
  error: unknown,
): Promise<MediaServiceError> {
  const isMissing = systemCodeOf(error) === 'ENOENT';
  const away = await (isMissing ? missingForNow(file, roots) : sourceBehindAwayRoot(file, roots));
  return away ?? sourceUnreadable(file, error);
}

/**
 * Returns `SourceUnavailable` if a missing file may be back soon or is back already; undefined if it is missing for
 * good: several looks did not find it, and its root was available before and after each of them. A root can come and go
 * within a single look.
 */
export async function missingForNow(
  file: string,
  roots: readonly string[],
): Promise<MediaServiceError | undefined> {
  for (let look = 0; look < LOOKS; look += 1) {
    const away = await sourceBehindAwayRoot(file, roots);
    if (away !== undefined) return away;
    if (isRoot(file, roots) || (await isThere(file))) {
      return sourceUnavailable(file, 'was not there for a moment', { hint: HINT_OF_AWAY_ROOT });
    }
  }
  return sourceBehindAwayRoot(file, roots);
}

/** If the missing file is a root itself and exists again, it was away only for a moment. */
function isRoot(file: string, roots: readonly string[]): boolean {
  return roots.some((root) => path.resolve(root) === path.resolve(file));
}

async function isThere(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}

/** Returns `SourceUnavailable` if a root above the file is unavailable; undefined if all are available. */
export async function sourceBehindAwayRoot(
  file: string,
  roots: readonly string[],
): Promise<MediaServiceError | undefined> {
  const away = await awayRootOf(file, roots);
  if (away === undefined) return undefined;
  return sourceUnavailable(file, `can't be read for now: the folder ${away.root} ${away.why}`, {
    hint: HINT_OF_AWAY_ROOT,
  });
}

export const HINT_OF_AWAY_ROOT =
  'Mount its disk or network share again: uploads then continue by themselves. If you replaced it by another folder, restart the worker.';

export interface AwayRoot {
  readonly root: string;
  /** Ends the sentence "the folder …". */
  readonly why: string;
  /** This process saw it before. */
  readonly wasThere: boolean;
}

/**
 * Returns a root above the file that is unavailable: it is gone, does not answer, or has been replaced by an empty
 * folder, such as the mount point of a share.
 */
export async function awayRootOf(file: string, roots: readonly string[]): Promise<AwayRoot | undefined> {
  for (const root of await rootsOf(file, roots)) {
    const why = await whyAway(root);
    if (why !== undefined) return { root, why, wasThere: inodes.has(path.resolve(root)) };
  }
  return undefined;
}

/** Returns a root that this process saw before, and that is among the missing folders below `existing`. */
export async function knownRootBelow(
  existing: string,
  missing: string,
  roots: readonly string[],
): Promise<AwayRoot | undefined> {
  const made = path.join(existing, missing);
  for (const root of roots) {
    const real = await followed(path.resolve(root));
    const isMissing = isBelow(real, existing) && (real === made || isBelow(made, real));
    if (isMissing && inodes.has(path.resolve(root))) return { root, why: 'is not there', wasThere: true };
  }
  return undefined;
}

/** Finds the roots above a file by name, with and without following the links that can be followed. */
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

/** Returns the path with its links followed, even below missing folders: a link may lead to an unavailable share. */
async function followed(file: string): Promise<string> {
  let [there, below] = [file, ''];
  for (let hops = 0; hops < MAX_HOPS; hops += 1) {
    // Undefined: it does not exist, which is the question here.
    const real = await realpath(there).catch(() => undefined);
    if (real !== undefined) return path.join(real, below);
    // Undefined: no link.
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
    return 'is not the folder that was there before: it is empty';
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
