import { readdir, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';
import { MediaServiceError, ValidationError } from '../../api/errors';
import { unreadableReason } from '../../files/read-failure';
import { globOf, listPlanned, plannedFolder } from '../../manifest/plan/planned-files';
import { UploadableFiles } from '../../manifest/plan/uploadable-files';
import type { PlanSummary } from '../../manifest/plan/uploadable-files';
import type { FileAccess } from '../../files/files';
import { locationText } from '../../files/file-location';
import type { FileLocation } from '../../files/file-location';
import { leftOutText } from '../commands/batches/plan';

interface Expansion {
  readonly cwd: string;
  /** Expand folders and S3 prefixes to everything below them. */
  readonly recursive: boolean;
  /** Leave out younger files of folders and patterns, ms. */
  readonly minAgeMs?: number | undefined;
  /** Opens file access with these folders added to the allowed ones: the user may list a folder that they name. */
  readonly withAccess: <T>(folders: readonly string[], use: (access: FileAccess) => Promise<T>) => Promise<T>;
  readonly signal: AbortSignal;
}

export interface ExpandedFiles {
  /** Paths, URLs and S3 addresses, each once. Those of a pattern or folder are sorted by name. */
  readonly files: readonly string[];
  /** `2 empty (a.mp4, b.mp4)`, for each pattern or folder with skipped files. */
  readonly leftOut: readonly string[];
}

/**
 * Returns the files that the arguments of `upload` name. Patterns, and folders on request, expand to their uploadable
 * files. Anything else stays unchanged, also an existing path that looks like a pattern. Rejects with a
 * `ValidationError` if a pattern or folder contains no such file.
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
    // Two patterns may match the same file. Naming a file twice by hand is a mistake.
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
  // Undefined: it does not exist, or is a pattern.
  const facts = await stat(resolve(cwd, text)).catch(() => undefined);
  return facts === undefined ? globOf(text) !== '' : recursive && facts.isDirectory();
}

/** Only these characters: brackets and braces are common in the names of objects. */
function isS3Pattern(text: string): boolean {
  return /[*?]/.test(globOf(text));
}

async function filesIn(
  text: string,
  { cwd, minAgeMs, withAccess, signal }: Expansion,
): Promise<{ readonly files: readonly string[]; readonly leftOut: string | undefined }> {
  const planned = await plannedFolder(text, cwd);
  const folders = planned.folder.kind === 'path' ? [planned.folder.path] : [];
  for (const folder of folders) await refuseUnreadable(folder, text);
  const { files, summary } = await withAccess(folders, (access) =>
    uploadable(listPlanned(access, planned, { signal }), minAgeMs),
  );
  const left = leftOutText(summary);
  if (files.length > 0) {
    const shown = (location: FileLocation): string => shownPath(location, isAbsolute(text) ? undefined : cwd);
    return { files: files.map(shown), leftOut: left };
  }
  throw new ValidationError(
    'FILE',
    `${text} has no files that can be uploaded${left === undefined ? '' : `; left out: ${left}`}.`,
    'Check the folder or the pattern. `media-service batches plan` shows what it finds.',
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
  listed: ReturnType<typeof listPlanned>,
  minAgeMs: number | undefined,
): Promise<{ readonly files: readonly FileLocation[]; readonly summary: PlanSummary }> {
  const files = new UploadableFiles(listed, minAgeMs);
  const locations: FileLocation[] = [];
  for await (const { entry } of files) locations.push(entry.location);
  return { files: locations, summary: files.summary };
}

function shownPath(location: FileLocation, from: string | undefined): string {
  return location.kind === 'path' && from !== undefined
    ? relative(from, location.path)
    : locationText(location);
}
