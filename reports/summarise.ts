import type { StatusReading } from './status-reading';
import { changeBetween, countsOf, largestFirst } from './report';
import type { Breakdown, Counts, DeliveryReport, GroupCounts, GroupRow } from './report';
import type { Group, ReportPlan } from './report-request';

/** What is known about one group: ids with failures, the most first, and the successes of the shown ids. */
export interface GroupReading {
  readonly group: Group;
  readonly failed: GroupCounts;
  /** By id. Undefined: the service does not return its count. */
  readonly success: ReadonlyMap<string | null, number | undefined>;
}

interface DeliveryReading {
  readonly failed: StatusReading;
  readonly success: StatusReading;
  readonly groups: readonly GroupReading[];
  readonly before: Counts | undefined;
}

/** Makes the report. Intervals add up to the totals. So do the rows of each group together with its others. */
export function summarise(plan: ReportPlan, reading: DeliveryReading): DeliveryReport {
  const { from, to, mediaId = null, subAccountId = null } = plan.query;
  const { failed, success, before } = reading;
  const complete = !failed.capped && !success.capped;
  const isPartial = [failed, success].some(({ capped, countedBy }) => capped && countedBy === 'records');
  // Counts that are only a minimum have no rate.
  const known = (counts: Counts): Counts => (isPartial ? { ...counts, failureRate: null } : counts);
  const intervals = plan.intervals.map((interval, index) => ({
    ...interval,
    ...known(countsOf(failed.perInterval[index] ?? 0, success.perInterval[index] ?? 0)),
  }));
  const totals = known(countsOf(sum(failed.perInterval), sum(success.perInterval)));
  const breakdownOf = (group: Group): Breakdown | null => {
    const found = reading.groups.find((each) => each.group === group);
    return found === undefined
      ? null
      : breakdown(found, totals, { top: plan.top, capped: failed.capped, complete });
  };
  const notices = noticesOf(plan, reading);
  return {
    from,
    to,
    zone: plan.zone,
    scope: { mediaId, subAccountId },
    totals,
    before: before === undefined || plan.before === undefined ? null : { ...plan.before, ...before },
    change: before === undefined ? null : changeBetween(before, totals),
    interval: plan.interval,
    intervals,
    media: breakdownOf('media'),
    subAccounts: breakdownOf('subAccount'),
    recordsRead: failed.recordsRead + success.recordsRead,
    complete,
    countedBy: { failed: failed.countedBy, success: success.countedBy },
    notices,
  };
}

function breakdown(
  group: GroupReading,
  totals: Counts,
  { top, capped, complete }: Readonly<{ top: number; capped: boolean; complete: boolean }>,
): Breakdown {
  const rowOf = (failed: number, success: number | null, isKnown: boolean): Omit<GroupRow, 'id'> => {
    const failureRate = success === null || !isKnown ? null : countsOf(failed, success).failureRate;
    return { failed, success, failureRate };
  };
  const rows = largestFirst(group.failed)
    .slice(0, top)
    .map(([id, failed]): GroupRow => ({
      id,
      ...rowOf(failed, group.success.get(id) ?? null, !capped),
    }));
  const successes = rows.map(({ success }) => success);
  const left = successes.every((count) => count !== null) ? totals.success - sum(successes) : null;
  return {
    rows,
    others: rowOf(totals.failed - sum(rows.map(({ failed }) => failed)), left, complete),
    withFailures: [...group.failed.keys()].filter((id) => id !== null).length,
  };
}

function noticesOf(plan: ReportPlan, { failed, success, groups, before }: DeliveryReading): string[] {
  const notices = notOverNotices(plan);
  for (const [name, status] of [
    ['failed', failed],
    ['successful', success],
  ] as const) {
    if (status.capped) notices.push(capNotice(name, status, plan.maxRecords));
    const counted = sum(status.perInterval);
    if (!status.capped && status.announced !== undefined && status.announced !== counted) {
      notices.push(
        `While ${name} deliveries were counted, their number went from ${status.announced} to ${counted}.`,
      );
    }
  }
  if (plan.before !== undefined && before === undefined) {
    notices.push('The service gives no totals, so the period before was not counted.');
  }
  if (groups.some((group) => group.failed.has(null))) {
    notices.push(
      'Some failed deliveries do not name what they are grouped by; they have a row of their own.',
    );
  }
  return notices;
}

/** Without a notice, a future period would look like one without deliveries. */
function notOverNotices({ query, now }: ReportPlan): string[] {
  if (Date.parse(query.from) >= now) return ['This period has not begun yet.'];
  return Date.parse(query.to) > now ? ['This period is not over yet: more may come.'] : [];
}

function capNotice(name: string, status: StatusReading, maxRecords: number): string {
  const read = `Only ${status.recordsRead} ${name} deliveries were read, because a report reads at most ${maxRecords} records`;
  return status.countedBy === 'records'
    ? `${read}; all figures are of those.`
    : `${read}; totals and intervals are complete, the tables by media and sub-account are of those read.`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
