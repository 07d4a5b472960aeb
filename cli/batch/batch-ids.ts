import { accountIdOf, readSettings } from '../../settings/settings';
import type { Settings } from '../../settings/settings';
import type { TemporalConnection } from '../../temporal/client/connect';
import { batchWorkflowId, isBatchWorkflowId } from '../../temporal/batch/ids';
import { withTemporal } from '../context';
import type { CliContext } from '../context';

/**
 * Returns the workflow of a batch. `id` names it within the account of the environment, or is already the workflow's
 * id.
 */
export function batchWorkflowOf(settings: Settings, id: string): string {
  return isBatchWorkflowId(id) ? id : batchWorkflowId(accountIdOf(settings), id);
}

export interface NamedBatch {
  readonly connection: TemporalConnection;
  readonly settings: Settings;
  readonly workflowId: string;
}

/** Runs `use` with the batch that an argument names, and always closes the connection. */
export async function withBatch<T>(
  { env }: CliContext,
  id: string,
  use: (batch: NamedBatch) => Promise<T>,
): Promise<T> {
  const settings = readSettings(env);
  const workflowId = batchWorkflowOf(settings, id);
  return withTemporal(settings, (connection) => use({ connection, settings, workflowId }));
}
