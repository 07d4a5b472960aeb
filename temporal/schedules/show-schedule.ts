import type { TemporalConnection } from '../client/connect';
import { describeSchedule } from './describe-schedule';
import type { ScheduleListing, ScheduleName, ScheduleView, StartedRun } from './describe-schedule';
import { withOutcomes } from './run-outcome';
import type { RunOutcome } from './run-outcome';

export type LastRun = StartedRun & RunOutcome;

export type ShownSchedule = Omit<ScheduleView, 'lastRun' | 'lastRuns'> & {
  readonly lastRun?: LastRun;
  readonly lastRuns: readonly LastRun[];
};

type ListedSchedule = Omit<ScheduleListing, 'lastRun'> & { readonly lastRun?: LastRun };

/**
 * The schedule with the outcomes of its last runs. Rejects with `RequestRefused` if the account has no schedule with
 * this id.
 */
export async function showSchedule(
  connection: TemporalConnection,
  name: ScheduleName,
): Promise<ShownSchedule> {
  const { lastRun: _last, ...view } = await describeSchedule(connection, name);
  const lastRuns = await withOutcomes(connection, view.lastRuns);
  const lastRun = lastRuns.at(-1);
  return { ...view, lastRuns, ...(lastRun === undefined ? {} : { lastRun }) };
}

/** The schedules with the outcome of the last run of each. */
export async function withLastOutcomes(
  connection: TemporalConnection,
  schedules: readonly ScheduleListing[],
): Promise<ListedSchedule[]> {
  const listed: ListedSchedule[] = [];
  for (const { lastRun, ...schedule } of schedules) {
    const [last] = lastRun === undefined ? [] : await withOutcomes(connection, [lastRun]);
    listed.push({ ...schedule, ...(last === undefined ? {} : { lastRun: last }) });
  }
  return listed;
}
