import path from 'node:path';
import { openOutputFolder } from '../../../files/output-folder';
import { outputPath } from '../../../files/output-path';
import { locationText } from '../../../files/location-text';
import { deleteFileAt, readTextAt, writeFileAt } from '../../../files/files';
import type { ReportSchedule } from '../../contract/failure-report';
import { parseState } from '../../schedules/report-state';
import type { ReportState } from '../../schedules/report-state';
import type { ActivityDeps } from '../context/activity-deps';

/**
 * The schedule's state, or undefined if nothing was delivered yet. Rejects with `Configuration` if the file contains
 * something else, and with `OutputFailed` if it must not be written.
 */
export async function readState(
  { files }: ActivityDeps,
  accountId: string,
  { id, state }: ReportSchedule,
): Promise<ReportState | undefined> {
  // The state is written back later, so an error here must name the folders for output.
  if (state.kind === 'path') await outputPath(files.outputRoots, state.path);
  const text = await readTextAt(files, state);
  if (text === undefined) return undefined;
  return parseState(text, { schedule: id, accountId, location: locationText(state) });
}

/** The state of a schedule without deliveries. */
export function emptyState(accountId: string, { id }: ReportSchedule): ReportState {
  return { schema: 1, schedule: id, accountId, cursors: [] };
}

/** Replaces the whole state: a reader sees the old or the new state, never a mix. */
export async function writeState(
  { files }: ActivityDeps,
  { state: location }: ReportSchedule,
  state: ReportState,
): Promise<void> {
  await writeFileAt(files, location, `${JSON.stringify(state, null, 1)}\n`);
}

/** Rejects with `OutputFailed`, or as S3 does, if the state could not be written now. Does not change the state. */
export async function checkWritable({ files }: ActivityDeps, { state }: ReportSchedule): Promise<void> {
  if (state.kind === 'path') {
    await openOutputFolder(files, { ...state, path: path.dirname(state.path) });
    return;
  }
  const beside = { ...state, key: `${state.key}.check` };
  await writeFileAt(files, beside, 'Shows that the state of a schedule can be written here.\n');
  await deleteFileAt(files, beside);
}
