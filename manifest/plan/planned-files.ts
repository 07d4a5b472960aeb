import { lstat, stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import picomatch from 'picomatch';
import { MediaServiceError } from '../../api/errors';
import { unreadableReason } from '../../api/upload/sources/source-failure';
import type { Place } from '../../places/place';
import { parsePlace } from '../../places/place-text';
import type { PlaceAccess } from '../../places/place-access';
import type { LeftOut } from '../../places/path-place';
import { surveyPlaces, type PlaceEntry } from '../../places/places';

/** Files to be planned: all below a folder or prefix, those of them that a pattern matches, or one file. */
export interface PlannedFolder {
  readonly folder: Place;
  /** Of names below the folder. Unset: all. */
  readonly pattern?: string;
}

/**
 * What a folder, a file, a pattern, `s3://bucket/prefix` or a pattern of S3 names. A path that is there is taken as it is, whatever characters it
 * holds. Rejects with `SourceMissing`.
 */
export async function plannedFolder(text: string, cwd: string): Promise<PlannedFolder> {
  if (/^s3:\/\//i.test(text)) {
    const { base, glob } = picomatch.scan(text.replace(/^s3:\/\//i, ''));
    const folder = parsePlace(`s3://${glob === '' ? text.slice('s3://'.length) : base}`, {
      cwd,
      field: 'WHAT',
    });
    return glob === '' ? { folder } : { folder, pattern: glob };
  }
  const whole = resolve(cwd, text);
  let why = '';
  const facts = await stat(whole).catch((error: unknown) => {
    why = unreadableReason(error);
    return undefined;
  });
  if (facts?.isDirectory() === true) return { folder: { kind: 'path', path: whole } };
  if (facts !== undefined) {
    const folder = { kind: 'path', path: dirname(whole) } as const;
    return { folder, pattern: basename(whole).replace(/[\\*?[\]{}()!+@|]/g, '\\$&') };
  }
  const { base, glob } = picomatch.scan(text);
  if (glob !== '') return { folder: { kind: 'path', path: resolve(cwd, base) }, pattern: glob };
  const isLink = (await lstat(whole).catch(() => undefined)) !== undefined;
  if (isLink && why === 'does not exist') why = 'is a link to something that is not there';
  throw new MediaServiceError('SourceMissing', `${text} ${why}.`, {
    field: 'WHAT',
    hint: 'Name a folder, a file, a pattern in quotes, or s3://bucket/prefix.',
  });
}

/** The part of a path or address that is a pattern, from its first folder with wildcards on; empty if it has none. */
export function globOf(text: string): string {
  return picomatch.scan(text).glob;
}

/** The files, sorted by the bytes of their names, and among them what is no file or cannot be read. */
export async function* listPlanned(
  access: PlaceAccess,
  { folder, pattern }: PlannedFolder,
  signal?: AbortSignal,
): AsyncGenerator<PlaceEntry | LeftOut, void, undefined> {
  const matches = pattern === undefined ? () => true : picomatch(pattern, { dot: true });
  const reachesBelow = pattern?.includes('/') ?? true;
  for await (const found of surveyPlaces(access, folder, { signal, maxDepth: depthOf(pattern) })) {
    // What lies in a folder that is not entered might match.
    const isFolder = 'leftOut' in found && (found.leftOut === 'linkedFolder' || found.name.endsWith('/'));
    if (matches(found.name) || (isFolder && reachesBelow)) yield found;
  }
}

/** How many folders deep a name can lie that the pattern matches. */
function depthOf(pattern = '**'): number {
  return pattern.includes('**') || pattern.includes('(') ? Infinity : pattern.split('/').length - 1;
}
