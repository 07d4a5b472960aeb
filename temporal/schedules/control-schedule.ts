import type { ScheduleHandle } from '@temporalio/client';
import type { TemporalConnection } from '../client/connect';
import { reportScheduleId } from '../contract/failure-report';
import { askSchedule } from './schedule-failure';

/** A schedule of an account. */
export interface ScheduleName {
  readonly accountId: string;
  readonly id: string;
}

/**
 * The first run after the pause reports what was due in between. `pauseSchedule`, `resumeSchedule` and
 * `deleteSchedule` reject with `RequestRefused` if the schedule does not exist.
 */
export function pauseSchedule(
  connection: TemporalConnection,
  name: ScheduleName,
  note = 'Paused by media-service',
): Promise<void> {
  return control(connection, name, (handle) => handle.pause(note));
}

export function resumeSchedule(connection: TemporalConnection, name: ScheduleName): Promise<void> {
  return control(connection, name, (handle) => handle.unpause('Resumed by media-service'));
}

/** Running reports continue. A new schedule with the same id begins from scratch. */
export function deleteSchedule(connection: TemporalConnection, name: ScheduleName): Promise<void> {
  return control(connection, name, (handle) => handle.delete());
}

async function control(
  connection: TemporalConnection,
  { accountId, id }: ScheduleName,
  call: (handle: ScheduleHandle) => Promise<void>,
): Promise<void> {
  const handle = connection.client.schedule.getHandle(reportScheduleId(accountId, id));
  await askSchedule(connection, id, () => call(handle));
}
