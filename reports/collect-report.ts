import type { Service } from '../api/service/service';
import type { DeliveryStatus } from '../api/webhooks/delivery-query';
import { readGroup } from './collect/group-reading';
import { countDeliveries, readStatus } from './collect/status-reading';
import type { Reading } from './collect/status-reading';
import type { DeliveryReport } from './report';
import { planReport } from './report-request';
import type { ReportPlan, ReportRequest } from './report-request';
import { summarise } from './summarise';

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
): Promise<{ failed: number; success: number } | undefined> {
  if (before === undefined) return undefined;
  const count = (status: DeliveryStatus): Promise<number | undefined> =>
    countDeliveries(service, { ...query, ...before, status: [status] }, signal);
  const failed = await count('FAILED');
  const success = failed === undefined ? undefined : await count('SUCCESS');
  return failed === undefined || success === undefined ? undefined : { failed, success };
}
