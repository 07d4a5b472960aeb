import { nextWindow } from '../../reports/period/next-window';
import type { Window } from '../../reports/period/window';
import type { ReportRun, ReportSchedule } from '../contract/failure-report';
import { cursorOf, withTargets } from './report-state';
import type { ReportCursor, ReportState } from './report-state';

/** Targets that get the same report. */
export interface WindowGroup {
  readonly window: Window;
  /** Keys. */
  readonly targets: readonly string[];
  /** How far they were told before; unset: never, or the run does not heed the state. */
  readonly deliveredTo?: string;
}

export interface WindowPlan {
  readonly groups: readonly WindowGroup[];
  /** Keys of targets that were told of everything that is old enough. */
  readonly nothingDue: readonly string[];
}

/** The state in which every target has a cursor: new ones begin one period back. */
export function begunState(state: ReportState, schedule: ReportSchedule, now: number): ReportState {
  const { lagMs, zone, cadence, targets } = schedule;
  const first = nextWindow({ now, lagMs, zone, cadence });
  return first === undefined
    ? state
    : withTargets(
        state,
        targets.map(({ key }) => key),
        first.from,
      );
}

/** Which window each target of the schedule is due at `now` (epoch ms). Back-fills and tests leave the state aside. */
export function planWindows(
  schedule: ReportSchedule,
  run: ReportRun,
  { state, now }: { readonly state: ReportState | undefined; readonly now: number },
): WindowPlan {
  const keys = schedule.targets.map(({ key }) => key);
  if (run.kind === 'backfill') return { groups: [{ window: run.window, targets: keys }], nothingDue: [] };
  const byCursor = new Map<ReportCursor | undefined, string[]>();
  for (const key of keys) {
    const cursor = run.kind === 'test' ? undefined : cursorOf(state, key);
    byCursor.set(cursor, [...(byCursor.get(cursor) ?? []), key]);
  }
  const { lagMs, zone, cadence } = schedule;
  const groups: WindowGroup[] = [];
  const nothingDue: string[] = [];
  for (const [cursor, targets] of byCursor) {
    const deliveredTo = cursor?.deliveredTo;
    const window = nextWindow({ deliveredTo, now, lagMs, zone, cadence });
    if (window === undefined) nothingDue.push(...targets);
    else groups.push({ window, targets, ...(deliveredTo === undefined ? {} : { deliveredTo }) });
  }
  return { groups, nothingDue };
}
