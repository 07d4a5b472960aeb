import { MediaServiceError } from '../../api/errors';
import type { TemporalConnection } from '../client/connect';
import { errorOfRpc } from '../client/rpc-failure';

/** A failed call about a schedule in our words. Our own errors pass unchanged. */
export function errorOfSchedule(connection: TemporalConnection, id: string, error: unknown): Error {
  if (error instanceof Error && error.name === 'ScheduleNotFoundError') {
    return new MediaServiceError(
      'RequestRefused',
      `There is no schedule "${id}" of this account.`,
      { outcome: 'refused', hint: '`media-service schedule list` shows those there are.' },
      { cause: error },
    );
  }
  return errorOfRpc(connection, undefined, error);
}

/** Runs a call about a schedule; its failure leaves in our words. */
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
