import type { TemporalConnection } from '../client/connect';
import { reportScheduleId } from '../contract/failure-report';
import { askSchedule } from './schedule-failure';
import type { ScheduleName } from './describe-schedule';

/**
 * Running reports continue. A new schedule with the same id begins from scratch. Rejects with `RequestRefused` if the
 * schedule does not exist.
 */
export async function deleteSchedule(
  connection: TemporalConnection,
  { accountId, id }: ScheduleName,
): Promise<void> {
  const handle = connection.client.schedule.getHandle(reportScheduleId(accountId, id));
  await askSchedule(connection, id, () => handle.delete());
}
