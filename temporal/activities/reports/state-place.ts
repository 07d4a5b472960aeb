import path from 'node:path';
import { openOutputFolder } from '../../../places/output-folder';
import { outputPath } from '../../../places/output-path';
import { placeText } from '../../../places/place-text';
import { deletePlace, readPlaceText, writePlace } from '../../../places/places';
import type { ReportSchedule } from '../../contract/failure-report';
import { parseState } from '../../schedules/report-state';
import type { ReportState } from '../../schedules/report-state';
import type { ActivityDeps } from '../context/activity-deps';

/**
 * The schedule's state; undefined where nothing was delivered yet. Rejects with `Configuration` where the place holds something else, with `OutputFailed` where it may not be
 * written.
 */
export async function readState(
  { places }: ActivityDeps,
  accountId: string,
  { id, state }: ReportSchedule,
): Promise<ReportState | undefined> {
  // What is read is written back: where that is not allowed, the reason is the folders for output.
  if (state.kind === 'path') await outputPath(places.outputRoots, state.path);
  const text = await readPlaceText(places, state);
  if (text === undefined) return undefined;
  return parseState(text, { schedule: id, accountId, place: placeText(state) });
}

/** The state of a schedule that delivered nothing yet. */
export function emptyState(accountId: string, { id }: ReportSchedule): ReportState {
  return { schema: 1, schedule: id, accountId, cursors: [] };
}

/** Replaces the state as a whole: a reader sees the old one or the new one. */
export async function writeState(
  { places }: ActivityDeps,
  { state: place }: ReportSchedule,
  state: ReportState,
): Promise<void> {
  await writePlace(places, place, `${JSON.stringify(state, null, 1)}\n`);
}

/** Rejects with `OutputFailed`, or as S3, if the state could not be written now; leaves the state as it is. */
export async function checkWritable({ places }: ActivityDeps, { state }: ReportSchedule): Promise<void> {
  if (state.kind === 'path') {
    await openOutputFolder(places, { ...state, path: path.dirname(state.path) });
    return;
  }
  const beside = { ...state, key: `${state.key}.check` };
  await writePlace(places, beside, 'Shows that the state of a schedule can be written here.\n');
  await deletePlace(places, beside);
}
