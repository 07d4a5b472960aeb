import { nextPeriod } from '../../reports/period/next-period';
import type { Period } from '../../reports/period/period';
import type { ReportRun, ReportSchedule } from '../contract/failure-report';
import { cursorOf, withTargets } from './report-state';
import type { ReportCursor, ReportState } from './report-state';

/** Targets that get the same report. */
export interface PeriodGroup {
  readonly period: Period;
  /** Keys of targets. */
  readonly targets: readonly string[];
  /** End of the last period that these targets received. Unset: they received none, or the run ignores the state. */
  readonly deliveredTo?: string;
}

export interface PeriodPlan {
  readonly groups: readonly PeriodGroup[];
  /** Keys of targets that have received everything old enough to report. */
  readonly nothingDue: readonly string[];
}

/** The state in which every target has a cursor. New targets begin one period back. */
export function begunState(state: ReportState, schedule: ReportSchedule, now: number): ReportState {
  const { lagMs, zone, interval, targets } = schedule;
  const first = nextPeriod({ now, lagMs, zone, interval });
  return first === undefined
    ? state
    : withTargets(
        state,
        targets.map(({ key }) => key),
        first.from,
      );
}

/** The period that each target is due at `now` (epoch ms). Back-fills and tests ignore the state. */
export function planPeriods(
  schedule: ReportSchedule,
  run: ReportRun,
  { state, now }: { readonly state: ReportState | undefined; readonly now: number },
): PeriodPlan {
  const keys = schedule.targets.map(({ key }) => key);
  if (run.kind === 'backfill') return { groups: [{ period: run.period, targets: keys }], nothingDue: [] };
  const byCursor = new Map<ReportCursor | undefined, string[]>();
  for (const key of keys) {
    const cursor = run.kind === 'test' ? undefined : cursorOf(state, key);
    byCursor.set(cursor, [...(byCursor.get(cursor) ?? []), key]);
  }
  const { lagMs, zone, interval } = schedule;
  const groups: PeriodGroup[] = [];
  const nothingDue: string[] = [];
  for (const [cursor, targets] of byCursor) {
    const deliveredTo = cursor?.deliveredTo;
    const period = nextPeriod({ deliveredTo, now, lagMs, zone, interval });
    if (period === undefined) nothingDue.push(...targets);
    else groups.push({ period, targets, ...(deliveredTo === undefined ? {} : { deliveredTo }) });
  }
  return { groups, nothingDue };
}
