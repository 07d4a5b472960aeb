import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { MediaServiceError } from '../../api/errors';
import { sourceUnavailable, sourceUnreadable } from '../read-failure';
import { mayPass, systemCodeOf } from '../system-error';
import { isBelow } from './inside-folders';

/**
 * Makes the error for a path that could not be read. While a root is unavailable, the error has no cause: the file's own
 * ENOENT would say that it is missing.
 */
export async function unreadablePath(
  file: string,
  roots: readonly string[],
  error: unknown,
): Promise<MediaServiceError> {
  const away = (await sourceBehindAwayRoot(file, roots)) ?? (await backAgain(file, roots, error));
  return away ?? sourceUnreadable(file, error);
}

/** A root can come back before it is looked at. Then the file is there, unless its root has gone once more. */
async function backAgain(
  file: string,
  roots: readonly string[],
  error: unknown,
): Promise<MediaServiceError | undefined> {
  if (systemCodeOf(error) !== 'ENOENT') return undefined;
  const isThere = await stat(file).then(
    () => true,
    () => false,
  );
  if (!isThere) return sourceBehindAwayRoot(file, roots);
  return sourceUnavailable(file, 'was not there for a moment', { hint: HINT_OF_AWAY_ROOT });
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
  'Mount its disk or network share again: uploads then continue by themselves.';

export interface AwayRoot {
  readonly root: string;
  /** Ends the sentence "the folder …". */
  readonly why: string;
}

/** Returns a root above the file that is gone or does not answer. */
export async function awayRootOf(file: string, roots: readonly string[]): Promise<AwayRoot | undefined> {
  for (const root of rootsAbove(file, roots)) {
    const why = await stat(root).then(() => undefined, whyAway);
    if (why !== undefined) return { root, why };
  }
  return undefined;
}

function rootsAbove(file: string, roots: readonly string[]): readonly string[] {
  const there = path.resolve(file);
  return roots.filter((root) => path.resolve(root) === there || isBelow(there, path.resolve(root)));
}

function whyAway(error: unknown): string | undefined {
  if (mayPass(error)) return `does not answer (${systemCodeOf(error) ?? 'unknown reason'})`;
  return systemCodeOf(error) === 'ENOENT' ? 'is not there' : undefined;
}
