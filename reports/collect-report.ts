import type { Service } from '../api/service/service';
import { mapAll } from '../api/map-in-order';
import type { DeliveryQuery, DeliveryStatus } from '../api/webhooks/delivery-query';
import { COUNTS_AT_ONCE, countDeliveries, readStatus, unreadableField } from './status-reading';
import type { Reading, StatusReading } from './status-reading';
import { countsOf, largestFirst } from './report';
import type { Counts, DeliveryReport } from './report';
import { planReport } from './report-request';
import type { Group, ReportPlan, ReportRequest } from './report-request';
import { summarise } from './summarise';
import type { GroupReading } from './summarise';

/**
 * Counts the webhook deliveries of a period. If the service returns totals, a count costs one request of one record.
 * Reads only failed records, and others if that is cheaper, never more than `maxRecords`. Throws a `ValidationError`
 * before anything is sent. Throws `UnreadableAnswer` if the records lack the field by which they are grouped. api.md,
 * "GET {base_url}/api/webhook/search".
 */
export async function collectReport(
  service: Service,
  request: ReportRequest,
  signal?: AbortSignal,
): Promise<DeliveryReport> {
  const plan = planReport(request, service.clock.now());
  const reading: Reading = { service, plan, signal };
  const failed = await readStatus(reading, 'FAILED', plan.maxRecords);
  const success = await readStatus(reading, 'SUCCESS', plan.maxRecords - failed.recordsRead);
  const groups = [];
  for (const group of plan.groups) groups.push(await readGroup(reading, group, { failed, success }));
  return summarise(plan, { failed, success, groups, before: await countBefore(reading, plan) });
}

/** Without totals, the period before would need to be read record by record, so it is left out. */
async function countBefore(
  { service, signal }: Reading,
  { query, before }: ReportPlan,
): Promise<Counts | undefined> {
  if (before === undefined) return undefined;
  const count = (status: DeliveryStatus): Promise<number | undefined> =>
    countDeliveries(service, { ...query, ...before, status: [status] }, signal);
  const failed = await count('FAILED');
  const success = failed === undefined ? undefined : await count('SUCCESS');
  return failed === undefined || success === undefined ? undefined : countsOf(failed, success);
}

/**
 * Successes of the ids with the most failures. They come from the records if all were read, otherwise from one count
 * query per id. Rejects if no record has the field by which it is grouped, not even empty.
 */
async function readGroup(
  reading: Reading,
  group: Group,
  { failed, success }: { readonly failed: StatusReading; readonly success: StatusReading },
): Promise<GroupReading> {
  const { service, plan, signal } = reading;
  const failures = failed.counted?.groups.get(group) ?? new Map<string | null, number>();
  const isShown = [failed, success].some(({ counted }) => counted?.shown.has(group) === true);
  if (failures.size > 0 && !isShown) throw unreadableField(plan, group, failed.counted);
  const { announced, capped, counted } = success;
  const known = capped ? undefined : counted?.groups.get(group);
  const countOf = async (id: string | null): Promise<number | undefined> => {
    if (known !== undefined) return known.get(id) ?? 0;
    if (announced === 0) return 0;
    if (id === null) return undefined;
    const scope = group === 'media' ? { mediaId: id } : { subAccountId: id };
    const query: DeliveryQuery = { ...plan.query, ...scope, status: ['SUCCESS'] };
    return countDeliveries(service, query, signal);
  };
  const shown = largestFirst(failures).slice(0, plan.top);
  const counts = await mapAll(shown, COUNTS_AT_ONCE, async ([id]) => [id, await countOf(id)] as const);
  return { group, failed: failures, success: new Map(counts) };
}
