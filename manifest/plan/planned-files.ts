import { lstat, stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import picomatch from 'picomatch';
import { MediaServiceError } from '../../api/errors';
import { unreadableReason } from '../../files/read-failure';
import { parseLocation } from '../../files/file-location';
import type { FileLocation } from '../../files/file-location';
import { surveyFilesAt } from '../../files/files';
import type { FileEntry } from '../../files/files';
import type { FileAccess } from '../../files/output-path';
import type { LeftOut } from '../../files/disk-files';

/** Files to plan: all below a folder or prefix, those among them that match a pattern, or one file. */
export interface PlannedFolder {
  readonly folder: FileLocation;
  /** For names below the folder. Unset: all. */
  readonly pattern?: string;
}

/**
 * Reads a folder, a file, a pattern, `s3://bucket/prefix` or an S3 pattern. An existing path is never a pattern,
 * whatever characters it contains. Rejects with `SourceMissing`.
 */
export async function plannedFolder(text: string, cwd: string): Promise<PlannedFolder> {
  if (/^s3:\/\//i.test(text)) {
    const { base, glob } = picomatch.scan(text.replace(/^s3:\/\//i, ''));
    const folder = parseLocation(`s3://${glob === '' ? text.slice('s3://'.length) : base}`, {
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
  // Undefined: not even a link.
  const isLink = (await lstat(whole).catch(() => undefined)) !== undefined;
  if (isLink && why === 'does not exist') why = 'is a link to something that does not exist';
  throw new MediaServiceError('SourceMissing', `${text} ${why}.`, {
    field: 'WHAT',
    hint: 'Name a folder, a file, a pattern in quotes, or s3://bucket/prefix.',
  });
}

/**
 * Yields the files of one folder after the other, each sorted by the bytes of their names, and also everything that is
 * not a file or can't be read. `exclude`: patterns of names below a folder, or of their last segments, that are left out.
 */
export async function* listPlanned(
  access: FileAccess,
  folders: readonly PlannedFolder[],
  { exclude = [], signal }: { readonly exclude?: readonly string[]; readonly signal?: AbortSignal } = {},
): AsyncGenerator<FileEntry | LeftOut, void, undefined> {
  const matchers = exclude.map((one) =>
    picomatch(one.replace(/\/$/, ''), { dot: true, basename: !one.slice(0, -1).includes('/') }),
  );
  const isExcluded = (name: string): boolean =>
    name.split('/').some((_, at, steps) => {
      const path = steps.slice(0, at + 1).join('/');
      return matchers.some((excludes) => excludes(path));
    });
  for (const { folder, pattern } of folders) {
    const matches = pattern === undefined ? () => true : picomatch(pattern, { dot: true });
    const reachesBelow = pattern?.includes('/') ?? true;
    for await (const found of surveyFilesAt(access, folder, { signal, maxDepth: depthOf(pattern) })) {
      if (isExcluded(found.name)) continue;
      // Something in a folder that is not entered might match.
      const isFolder = 'leftOut' in found && (found.leftOut === 'linkedFolder' || found.name.endsWith('/'));
      if (matches(found.name) || (isFolder && reachesBelow)) yield found;
    }
  }
}

/** Returns how many folders deep a matching name can be. */
function depthOf(pattern = '**'): number {
  return pattern.includes('**') || pattern.includes('(') ? Infinity : pattern.split('/').length - 1;
}
