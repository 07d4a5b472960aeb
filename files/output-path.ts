import { realpath } from 'node:fs/promises';
import path from 'node:path';
import type { Folder } from './disk/open-folder';
import { openFolder, openMadeFolder } from './disk/open-folder';
import { MediaServiceError } from '../api/errors';
import { awayRootOf, knownRootBelow, noteRootsOf } from './roots/away-root';
import { isInsideFolders } from './roots/inside-folders';
import { outputAway, outputFailed } from './output-failure';

/**
 * Returns the real path at which a file may be written, with all symbolic links of its folders followed. Rejects with
 * `OutputFailed` outside the output roots, and while its output root is unavailable. Creates nothing.
 */
export async function outputPath(outputRoots: readonly string[], file: string): Promise<string> {
  const target = path.resolve(file);
  const away = await awayRootOf(target, outputRoots);
  // A root that this process never saw may be created.
  if (away?.wasThere === true) throw outputAway(file, away);
  const real = path.join(...(await realAncestor(path.dirname(target))), path.basename(target));
  if (!(await isInsideFolders(real, outputRoots, true))) throw outside(file, outputRoots);
  return real;
}

interface OutputUse {
  readonly outputRoots: readonly string[];
  readonly file: string;
  /** The name in errors. Default: the file. */
  readonly shown?: string;
  /** Create missing folders. Unset: they are an error. */
  readonly make?: boolean;
}

/**
 * Runs `use` with the open folder of a file to write, and the file's name in it. Everything done in this folder stays
 * inside the output roots, even if a link replaces a folder meanwhile. Rejects as `outputPath` does, and with errors of
 * the file system as `OutputFailed`.
 */
export async function inOutputFolder<T>(
  { outputRoots, file, shown = file, make = false }: OutputUse,
  use: (folder: Folder, name: string) => Promise<T>,
): Promise<T> {
  const target = await outputPath(outputRoots, file);
  const [real, missing] = await realAncestor(path.dirname(target));
  // The root may have become unavailable after the check of its path. Only folders below it are created.
  const away = await knownRootBelow(real, missing, outputRoots);
  if (away !== undefined) throw outputAway(file, away);
  const names = missing.split(path.sep).filter((name) => name !== '');
  const opening =
    make || names.length === 0 ? openMadeFolder(real, names) : openFolder(path.join(real, ...names));
  const folder = await opening.catch(async (error: unknown) => {
    // The root may have become unavailable after the check above.
    await outputPath(outputRoots, file);
    throw outputFailed(shown, error);
  });
  if (folder === undefined) throw outside(shown, outputRoots);
  await noteRootsOf(target, outputRoots);
  try {
    return await use(folder, path.basename(target));
  } finally {
    await folder.close();
  }
}

/** Returns the real path of the nearest existing folder, and the missing part below it. */
async function realAncestor(folder: string): Promise<[string, string]> {
  let missing = '';
  for (let there = folder; ; there = path.dirname(there)) {
    // Undefined: it does not exist yet.
    const real = await realpath(there).catch(() => undefined);
    if (real !== undefined || there === path.dirname(there)) return [real ?? there, missing];
    missing = path.join(path.basename(there), missing);
  }
}

function outside(file: string, outputRoots: readonly string[]): MediaServiceError {
  const none = outputRoots.length === 0;
  return new MediaServiceError(
    'OutputFailed',
    `${file} may not be written: ${none ? 'no folder is allowed for output' : 'it is outside the folders for output'}`,
    {
      outcome: 'unsent',
      field: 'output',
      remedy: { kind: 'allow-output', rootsSet: !none },
    },
  );
}
