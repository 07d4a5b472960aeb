import { MediaServiceError } from '../../api/errors';
import type { TemporalConnection } from '../client/connect';
import { errorOfRpc } from '../client/rpc-failure';

/** Converts a failed call about a schedule to our error. Our own errors pass unchanged. */
export function errorOfSchedule(connection: TemporalConnection, id: string, error: unknown): Error {
  if (error instanceof Error && error.name === 'ScheduleNotFoundError') {
    return new MediaServiceError(
      'RequestRefused',
      `There is no schedule "${id}" of this account.`,
      { outcome: 'refused', remedy: { kind: 'list-schedules' } },
      { cause: error },
    );
  }
  return errorOfRpc(connection, undefined, error);
}

/** Runs a call about a schedule and converts its failure to our error. */
export async function askSchedule<T>(
  connection: TemporalConnection,
  id: string,
  call: () => Promise<T>,
): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw errorOfSchedule(connection, id, error);
  }
}
