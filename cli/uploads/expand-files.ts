import { readdir, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';
import { MediaServiceError, ValidationError } from '../../api/errors';
import { unreadableReason } from '../../api/upload/sources/source-failure';
import { globOf, listPlanned, plannedFolder, type PlannedFolder } from '../../manifest/plan/planned-files';
import { uploadableFiles, type PlanSummary } from '../../manifest/plan/uploadable-files';
import type { PlaceAccess } from '../../places/place-access';
import { placeText } from '../../places/place-text';
import type { Place } from '../../places/place';
import { leftOutText } from '../batch/plan-text';

export interface Expansion {
  readonly cwd: string;
  /** Folders and prefixes of S3 stand for everything below them. */
  readonly recursive: boolean;
  /** Opens what may be read, with these folders beside the allowed ones: whoever names a folder may list it. */
  readonly withAccess: <T>(
    folders: readonly string[],
    use: (access: PlaceAccess) => Promise<T>,
  ) => Promise<T>;
  readonly signal: AbortSignal;
}

export interface ExpandedFiles {
  /** Paths, URLs and S3 addresses, each once; those of a pattern or folder in the order of their names. */
  readonly files: readonly string[];
  /** `2 empty (a.mp4, b.mp4)`, of each pattern or folder from which something was left out. */
  readonly leftOut: readonly string[];
}

/**
 * The files that the arguments of `upload` name. Patterns, and folders if that is asked for, stand for the files in them that can be uploaded. Anything else stays as
 * it is, also a path that is there and looks like a pattern. Rejects with a `ValidationError` if a pattern or folder holds no such file.
 */
export async function expandFiles(texts: readonly string[], expansion: Expansion): Promise<ExpandedFiles> {
  const files: string[] = [];
  const leftOut: string[] = [];
  const expanded = new Set<string>();
  for (const text of texts) {
    if (!(await isExpandable(text, expansion))) {
      files.push(text);
      continue;
    }
    const found = await filesIn(text, expansion);
    if (found.leftOut !== undefined) leftOut.push(found.leftOut);
    // Two patterns may meet; a file that is named twice by hand is a mistake.
    const isNew = (file: string): boolean => !expanded.has(resolve(expansion.cwd, file));
    for (const file of found.files.filter(isNew)) {
      expanded.add(resolve(expansion.cwd, file));
      files.push(file);
    }
  }
  return { files, leftOut };
}

async function isExpandable(text: string, { cwd, recursive }: Expansion): Promise<boolean> {
  if (/^s3:\/\//i.test(text)) return recursive || isS3Pattern(text);
  if (text.trim() === '' || /^[a-z][a-z0-9+.-]+:\/\//i.test(text)) return false;
  const facts = await stat(resolve(cwd, text)).catch(() => undefined);
  return facts === undefined ? globOf(text) !== '' : recursive && facts.isDirectory();
}

/** Brackets and braces are common in the names of objects. */
function isS3Pattern(text: string): boolean {
  return /[*?]/.test(globOf(text));
}

async function filesIn(
  text: string,
  { cwd, withAccess, signal }: Expansion,
): Promise<{ readonly files: readonly string[]; readonly leftOut: string | undefined }> {
  const planned = await plannedFolder(text, cwd);
  const folders = planned.folder.kind === 'path' ? [planned.folder.path] : [];
  for (const folder of folders) await refuseUnreadable(folder, text);
  const { files, summary } = await withAccess(folders, (access) => uploadable(access, planned, signal));
  const left = leftOutText(summary);
  if (files.length > 0) {
    const shown = (place: Place): string => shownPath(place, isAbsolute(text) ? undefined : cwd);
    return { files: files.map(shown), leftOut: left };
  }
  throw new ValidationError(
    'FILE',
    `${text} has no files that can be uploaded${left === undefined ? '' : `; left out: ${left}`}.`,
    'Check the folder or the pattern. `media-service batch plan` shows what it finds.',
  );
}

async function refuseUnreadable(folder: string, text: string): Promise<void> {
  await readdir(folder).catch((error: unknown) => {
    throw new MediaServiceError('SourceMissing', `${text}: ${folder} ${unreadableReason(error)}.`, {
      field: 'FILE',
      hint: 'Check the path.',
    });
  });
}

async function uploadable(
  access: PlaceAccess,
  planned: PlannedFolder,
  signal: AbortSignal,
): Promise<{ readonly files: readonly Place[]; readonly summary: PlanSummary }> {
  const { files, summary } = uploadableFiles(listPlanned(access, planned, signal));
  const places: Place[] = [];
  for await (const { entry } of files) places.push(entry.place);
  return { files: places, summary: summary() };
}

function shownPath(place: Place, from: string | undefined): string {
  return place.kind === 'path' && from !== undefined ? relative(from, place.path) : placeText(place);
}
