import { accountId } from '../../api/account/account-id';
import { requireAccount, type Settings } from '../../settings/settings';
import { batchWorkflowId } from '../../temporal/contract/batch-ids';

/** The workflow of a batch: `id` names it within the account of the environment, or is the workflow's id already. */
export function batchWorkflowOf(settings: Settings, id: string): string {
  if (id.startsWith('batch/')) return id;
  return batchWorkflowId(accountId(requireAccount(settings)), id);
}

/** What the user knows a batch by: its id without the account. */
export function batchNameOf(workflowId: string): string {
  return workflowId.split('/').slice(2).join('/');
}

/** The account of a batch by its workflow. */
export function batchAccountOf(workflowId: string): string {
  return workflowId.split('/')[1] ?? '';
}
