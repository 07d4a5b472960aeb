import type { StatusReading } from '../../../reports/status-reading';
import { createReportCounts } from '../../../reports/status-reading';
import { countsOf } from '../../../reports/report';
import type { DeliveryReport } from '../../../reports/report';
import { planReport } from '../../../reports/report-request';
import type { ReportPlan, ReportRequest } from '../../../reports/report-request';
import { summarise } from '../../../reports/summarise';

export const NOW = Date.parse('2026-11-21T06:00:00Z');

/** Zones with half-hour changes, changes at midnight, a skipped day, and no changes. */
export const ZONES = [
  ...['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/Santiago'],
  ...['Africa/Cairo', 'Pacific/Apia', 'Asia/Kathmandu'],
];

export interface FixtureDelivery {
  readonly sentAt: string;
  readonly status: 'FAILED' | 'SUCCESS';
  readonly mediaId?: string;
  readonly subAccountId?: string;
}

/** A plan for 20 November 2026 in Berlin with these changes. */
export function planOf(change: Partial<ReportRequest> = {}): ReportPlan {
  const query = { from: '2026-11-20', to: '2026-11-21', zone: 'Europe/Berlin' };
  return planReport({ query, groups: ['media', 'subAccount'], ...change }, NOW);
}

/** The report of the deliveries in the plan's period, as if all of them had been read. */
export function reportOf(
  deliveries: readonly FixtureDelivery[],
  change: Partial<ReportRequest> = {},
): DeliveryReport {
  const plan = planOf(change);
  const failed = readingOf(plan, deliveries, 'FAILED');
  const success = readingOf(plan, deliveries, 'SUCCESS');
  const groups = plan.groups.map((group) => {
    const failures = failed.counted?.groups.get(group) ?? new Map<string | null, number>();
    const successes = success.counted?.groups.get(group);
    const known = [...failures.keys()].map((id) => [id, successes?.get(id) ?? 0] as const);
    return { group, failed: failures, success: new Map(known) };
  });
  return summarise(plan, { failed, success, groups, before: countsOf(5, 195) });
}

function readingOf(
  plan: ReportPlan,
  deliveries: readonly FixtureDelivery[],
  status: FixtureDelivery['status'],
): StatusReading {
  const counted = createReportCounts(plan);
  for (const delivery of deliveries) if (delivery.status === status) counted.add({ ...delivery });
  const result = counted.result();
  return {
    countedBy: 'records',
    perInterval: result.perInterval ?? [],
    announced: result.records,
    recordsRead: result.records,
    capped: false,
    counted: result,
  };
}
