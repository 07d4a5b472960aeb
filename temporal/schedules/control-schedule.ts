import type { ScheduleHandle } from '@temporalio/client';
import type { TemporalConnection } from '../client/connect';
import { reportScheduleId } from '../contract/failure-report';
import { askSchedule } from './schedule-failure';

/** A schedule of an account. */
export interface ScheduleName {
  readonly accountId: string;
  readonly id: string;
}

/** What is due while it is paused is told by the first run after it. All three reject with `RequestRefused` where there is no such schedule. */
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

/** Runs that are at work go on; the state stays, so that a schedule of the same id goes on where this one ended. */
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
