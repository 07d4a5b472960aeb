import { opendir } from 'node:fs/promises';
import path from 'node:path';
import { systemCodeOf } from '../../files/system-error';
import { openOutputFolder, outputFailed } from '../../files/output-path';
import { parseLocation } from '../../files/file-location';
import type { Settings } from '../../settings/settings';
import type { ScheduleRequest } from '../../temporal/reports/client/report-schedule';

/**
 * Checks that the folders among the targets can be written, if this machine has a setting for it. Rejects
 * with `OutputFailed`. Without the setting the worker decides, and this only refuses files that should be folders.
 * Resolves with what could not be checked, one sentence each.
 */
export async function checkFolders(
  { outputRoots }: Settings,
  { targets }: Pick<ScheduleRequest, 'targets'>,
  cwd: string,
): Promise<string[]> {
  const folders = targets
    .filter((text) => /^file:/i.test(text.trim()))
    .map((text) => parseLocation(text, { cwd, field: 'to' }));
  if (outputRoots === undefined) {
    for (const folder of folders) if (folder.kind === 'path') await refuseFile(folder.path);
    const outside = folders.flatMap((location) =>
      location.kind === 'path' && isOutside(cwd, location.path) ? [location.path] : [],
    );
    return [...new Set(outside)].map(
      (folder) =>
        `This command can't check whether a worker can write to ${folder}. MEDIA_SERVICE_OUTPUT_ROOTS of the worker must include this folder (default: the folder in which the worker was started).`,
    );
  }
  for (const folder of folders) await openOutputFolder({ outputRoots }, folder);
  return [];
}

/** A file is not a folder, whatever user the worker runs as. */
async function refuseFile(folder: string): Promise<void> {
  try {
    await (await opendir(folder)).close();
  } catch (error) {
    if (systemCodeOf(error) === 'ENOTDIR') throw outputFailed(folder, error);
  }
}

function isOutside(folder: string, other: string): boolean {
  const way = path.relative(folder, other);
  return way === '..' || way.startsWith(`..${path.sep}`) || path.isAbsolute(way);
}
