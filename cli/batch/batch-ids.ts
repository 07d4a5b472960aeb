import { accountIdOf, type Settings } from '../../settings/settings';
import { batchWorkflowId } from '../../temporal/contract/batch-ids';

/**
 * Returns the workflow of a batch. `id` names it within the account of the environment, or is already the workflow's
 * id.
 */
export function batchWorkflowOf(settings: Settings, id: string): string {
  if (id.startsWith('batch/')) return id;
  return batchWorkflowId(accountIdOf(settings), id);
}

/** Returns the name by which the user knows a batch: its id without the account. */
export function batchNameOf(workflowId: string): string {
  return workflowId.split('/').slice(2).join('/');
}

/** Returns the account that a batch belongs to, by its workflow. */
export function batchAccountOf(workflowId: string): string {
  return workflowId.split('/')[1] ?? '';
}
