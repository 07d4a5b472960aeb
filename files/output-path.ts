import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { MediaServiceError } from '../api/errors';
import { makeOneFolder } from './disk/sync-folder';
import { awayRootOf } from './roots/away-root';
import { isBelow, isInsideFolders } from './roots/inside-folders';
import { goneOrFailed, outputAway } from './output-failure';

/**
 * Returns the real path at which a file may be written, with all symbolic links of its folders followed. Rejects with
 * `OutputFailed` outside the output roots, and while its output root is unavailable. Creates nothing.
 */
export async function outputPath(outputRoots: readonly string[], file: string): Promise<string> {
  const target = path.resolve(file);
  const away = await awayRootOf(target, outputRoots);
  if (away !== undefined) throw outputAway(file, away);
  const real = path.join(await realFolder(path.dirname(target)), path.basename(target));
  if (!(await isInsideFolders(real, outputRoots, true))) throw outside(file, outputRoots);
  return real;
}

/** The same, and creates the file's folder, but never an output root. `shown` is the name in errors. */
export async function outputPathInFolder(
  outputRoots: readonly string[],
  file: string,
  shown = file,
): Promise<string> {
  const real = await outputPath(outputRoots, file);
  await makeBelow(outputRoots, path.dirname(real)).catch((error: unknown) => {
    throw goneOrFailed(shown, error);
  });
  return real;
}

/** A root can go after the check of the path, so folders are made one by one below it. */
async function makeBelow(outputRoots: readonly string[], folder: string): Promise<void> {
  for (const root of outputRoots) {
    // Undefined: it is not there.
    const base = await realpath(root).catch(() => undefined);
    if (base === undefined || !(folder === base || isBelow(folder, base))) continue;
    let there = base;
    for (const name of path.relative(base, folder).split(path.sep)) {
      there = path.join(there, name);
      if (there !== base) await makeOneFolder(there);
    }
    return;
  }
  // The root has gone: this rejects.
  await realpath(folder);
}

/** Returns the real path of a folder, of which a part may not exist yet. */
async function realFolder(folder: string): Promise<string> {
  let missing = '';
  for (let there = folder; ; there = path.dirname(there)) {
    // Undefined: it does not exist yet.
    const real = await realpath(there).catch(() => undefined);
    if (real !== undefined || there === path.dirname(there)) return path.join(real ?? there, missing);
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
