import { realpath } from 'node:fs/promises';
import path from 'node:path';
import type { Folder } from '../api/disk/open-folder';
import { openFolder, openMadeFolder } from '../api/disk/open-folder';
import { MediaServiceError } from '../api/errors';
import { awayRootOf, noteRootsOf } from '../api/upload/sources/path/away-root';
import { isInsideFolders } from '../api/upload/sources/path/inside-folders';
import { outputAway, outputFailed } from './output-failure';

/**
 * The real path at which a file may be written, once all symbolic links of its folders are followed. Rejects with `OutputFailed` where it lies outside the
 * output roots, and while its output root is away; nothing is made.
 */
export async function outputPath(outputRoots: readonly string[], file: string): Promise<string> {
  const target = path.resolve(file);
  const away = await awayRootOf(target, outputRoots);
  // One that this process never saw may be made.
  if (away?.wasThere === true) throw outputAway(file, away);
  const real = path.join(...(await realAncestor(path.dirname(target))), path.basename(target));
  if (!(await isInsideFolders(real, outputRoots, true))) throw outside(file, outputRoots);
  return real;
}

export interface OutputUse {
  readonly outputRoots: readonly string[];
  readonly file: string;
  /** What errors name. Default: the file. */
  readonly shown?: string;
  /** Make the folders that are missing. Unset: they are an error. */
  readonly make?: boolean;
}

/**
 * Runs `use` with the open folder of a file that may be written, and the file's name in it: what it does there happens inside the output roots, also if a
 * folder is swapped for a link meanwhile. Rejects as `outputPath`, and with what the file system says as `OutputFailed`.
 */
export async function inOutputFolder<T>(
  { outputRoots, file, shown = file, make = false }: OutputUse,
  use: (folder: Folder, name: string) => Promise<T>,
): Promise<T> {
  const target = await outputPath(outputRoots, file);
  const [real, missing] = await realAncestor(path.dirname(target));
  // Nothing is made for a root that is away only since that look.
  if (missing !== '') await outputPath(outputRoots, file);
  const names = missing.split(path.sep).filter((name) => name !== '');
  const opening =
    make || names.length === 0 ? openMadeFolder(real, names) : openFolder(path.join(real, ...names));
  const folder = await opening.catch(async (error: unknown) => {
    // Its root may be away only since the look above.
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

/** The real path of the nearest folder that is there, and what is missing below it. */
async function realAncestor(folder: string): Promise<[string, string]> {
  let missing = '';
  for (let there = folder; ; there = path.dirname(there)) {
    const real = await realpath(there).catch(() => undefined);
    if (real !== undefined || there === path.dirname(there)) return [real ?? there, missing];
    missing = path.join(path.basename(there), missing);
  }
}

function outside(file: string, outputRoots: readonly string[]): MediaServiceError {
  const none = outputRoots.length === 0;
  return new MediaServiceError(
    'OutputFailed',
    `${file} may not be written: ${none ? 'no folder is allowed for output' : 'it lies outside the folders for output'}`,
    {
      outcome: 'unsent',
      field: 'output',
      hint: `${none ? 'Set MEDIA_SERVICE_OUTPUT_ROOTS to the folders that' : 'Choose another place, or add its folder to MEDIA_SERVICE_OUTPUT_ROOTS, where'} batches and reports may be written, where the worker runs, and restart it; unset, a worker writes below the folder it was started in. Symbolic links are followed before the check.`,
    },
  );
}
