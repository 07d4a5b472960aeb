import type { DeliveryQuery } from '../../api/webhooks/delivery-query';
import type { Group, ReportPlan } from '../report-request';
import { mapAll } from '../../api/map-in-order';
import { COUNTS_AT_ONCE, countDeliveries, unreadableField } from './status-reading';
import type { Reading, StatusReading } from './status-reading';
import { largestFirst } from '../counts/counts';
import type { GroupCounts } from '../counts/counts';

/** What is known about one group: ids with failures, the most first, and the successes of the shown ids. */
export interface GroupReading {
  readonly group: Group;
  readonly failed: GroupCounts;
  /** By id. Ids are missing if the service does not return their counts. */
  readonly success: GroupCounts;
}

/**
 * Successes of the ids with the most failures. They come from the records if all were read, otherwise from one count
 * query per id. Rejects if no record has the field by which it is grouped, not even empty.
 */
export async function readGroup(
  reading: Reading,
  group: Group,
  statuses: { readonly failed: StatusReading; readonly success: StatusReading },
): Promise<GroupReading> {
  const { service, plan, signal } = reading;
  const failed = readableGroup(plan, group, statuses);
  const shown = largestFirst(failed)
    .slice(0, plan.top)
    .map(([id]) => id);
  const { announced, capped, counted } = statuses.success;
  const known = capped ? undefined : counted?.groups.get(group);
  const counts = await mapAll(shown, COUNTS_AT_ONCE, async (id) => {
    if (known !== undefined) return known.get(id) ?? 0;
    if (announced === 0) return 0;
    if (id === null) return undefined;
    const scope = group === 'media' ? { mediaId: id } : { subAccountId: id };
    const query: DeliveryQuery = { ...plan.query, ...scope, status: ['SUCCESS'] };
    return countDeliveries(service, query, signal);
  });
  const success = shown.flatMap((id, index): [string | null, number][] => {
    const count = counts[index];
    return count === undefined ? [] : [[id, count]];
  });
  return { group, failed, success: new Map(success) };
}

function readableGroup(
  plan: ReportPlan,
  group: Group,
  { failed, success }: { readonly failed: StatusReading; readonly success: StatusReading },
): GroupCounts {
  const counts = failed.counted?.groups.get(group) ?? new Map<string | null, number>();
  const isShown = [failed, success].some(({ counted }) => counted?.shown.has(group) === true);
  if (counts.size > 0 && !isShown) throw unreadableField(plan, group, failed.counted);
  return counts;
}
