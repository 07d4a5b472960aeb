import { adviceOf } from '../../api/advice';
import { MediaServiceError } from '../../api/errors';
import type { Settings } from '../../settings/settings';
import { readBatchInput } from '../../temporal/batch/client/open-batch';
import type { TemporalConnection } from '../../temporal/client/connect';
import type { ResultLine } from '../../temporal/batch/types';
import { batchRowOf } from '../../temporal/batch/ids';
import { isErrorCode } from '../../temporal/failure';
import { resultsSoFar } from '../batch/results-so-far';
import { withBatchFolder } from '../batch/with-batch-folder';

interface RowLookup {
  readonly connection: TemporalConnection;
  readonly settings: Settings;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/**
 * How a row of a batch has ended, from the batch's folder, by the workflow id in the batch's results. Undefined if the
 * id is not a row's id, or the row has not ended. Rejects as `readBatchInput` and `withBatchFolder`.
 */
export async function rowLine(
  { connection, settings, cwd, signal }: RowLookup,
  workflowId: string,
): Promise<ResultLine | undefined> {
  const row = batchRowOf(workflowId);
  if (row === undefined) return undefined;
  const { folder, batchId } = await readBatchInput(connection, row.batchWorkflow);
  return withBatchFolder({ settings, cwd, folder }, async (access) => {
    for await (const { planned, result } of resultsSoFar({ access, folder, batchId }, signal)) {
      if (planned.row.id === row.rowId) return result;
    }
    return undefined;
  });
}

/** The error of a row that failed or was cancelled. Undefined if it is completed. */
export function errorOfLine({ status, error }: ResultLine): MediaServiceError | undefined {
  if (status === 'COMPLETED') return undefined;
  if (error === undefined)
    return new MediaServiceError('Cancelled', 'The batch was cancelled before the row.');
  const code = isErrorCode(error.code) ? error.code : 'Internal';
  return new MediaServiceError(code, error.message, adviceOf(error));
}
