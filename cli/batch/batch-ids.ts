import { accountIdOf, type Settings } from '../../settings/settings';
import { batchWorkflowId, isBatchWorkflowId } from '../../temporal/contract/batch-ids';

/**
 * Returns the workflow of a batch. `id` names it within the account of the environment, or is already the workflow's
 * id.
 */
export function batchWorkflowOf(settings: Settings, id: string): string {
  return isBatchWorkflowId(id) ? id : batchWorkflowId(accountIdOf(settings), id);
}
