import { opendir } from 'node:fs/promises';
import path from 'node:path';
import { systemCodeOf } from '../../api/upload/sources/source-failure';
import { outputFailed } from '../../places/output-failure';
import { openOutputFolder } from '../../places/output-folder';
import { outputPath } from '../../places/output-path';
import { parsePlace } from '../../places/place-text';
import type { Settings } from '../../settings/settings';
import type { ScheduleWish } from '../../temporal/schedules/report-schedule';

/**
 * Sees that the folders among the targets and the state can be written, where this machine was told what may be: rejects with `OutputFailed`. Where nothing was said
 * the worker's own setting decides, but for files where folders should be: resolves with what could not be checked, one sentence each.
 */
export async function checkFolders(
  { outputRoots }: Settings,
  { targets, state }: Pick<ScheduleWish, 'targets' | 'state'>,
  cwd: string,
): Promise<string[]> {
  const folders = targets
    .filter((text) => /^file:/i.test(text.trim()))
    .map((text) => parsePlace(text, { cwd, field: 'to' }));
  const files = state === undefined ? [] : [parsePlace(state, { cwd, field: 'state' })];
  if (outputRoots === undefined) {
    for (const folder of folders) if (folder.kind === 'path') await refuseFile(folder.path);
    const outside = [...folders, ...files].flatMap((place) =>
      place.kind === 'path' && isOutside(cwd, place.path) ? [place.path] : [],
    );
    return [...new Set(outside)].map(
      (place) =>
        `Not checked here: whether a worker can write to ${place}. MEDIA_SERVICE_OUTPUT_ROOTS of the worker must include this folder (default: the folder in which the worker was started).`,
    );
  }
  for (const folder of folders) await openOutputFolder({ outputRoots }, folder);
  for (const file of files) if (file.kind === 'path') await outputPath(outputRoots, file.path);
  return [];
}

/** A file is no folder, whoever the worker runs as. */
async function refuseFile(folder: string): Promise<void> {
  try {
    await (await opendir(folder)).close();
  } catch (error) {
    if (systemCodeOf(error) === 'ENOTDIR') throw outputFailed(folder, error);
  }
}

function isOutside(folder: string, place: string): boolean {
  const way = path.relative(folder, place);
  return way === '..' || way.startsWith(`..${path.sep}`) || path.isAbsolute(way);
}
