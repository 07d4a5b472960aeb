import type { WorkflowExecutionDescription } from '@temporalio/client';
import { isOpen } from '../../client/control-workflow';
import { rowWorkflowId } from '../../contract/batch-ids';
import { leftBy, leftIn, type Left } from '../../contract/earlier-run';
import type { ForAccount, UploadMemo } from '../../contract/upload';
import { describedWorkflow } from './described-workflow';
import type { LoadedRow } from '../../batch/loaded-row';
import type { PageRow } from '../../batch/page-rows';

type Input = ForAccount<{
  readonly batchId: string;
  /** How often the page was lost. */
  readonly losses: number;
}>;

/**
 * Adds what the row has already: an upload under its key, even one that no batch started, or a session that an earlier
 * run of the row left.
 */
export async function withEarlierUpload(
  { row, pageRow }: { readonly row: LoadedRow; readonly pageRow: PageRow },
  { accountId, batchId, losses }: Input,
): Promise<LoadedRow> {
  const { upload } = row;
  if (upload === undefined) return row;
  const workflow = await describedWorkflow(rowWorkflowId(accountId, batchId, row.id));
  if (workflow !== undefined && (isOpen(workflow) || workflow.status.name === 'COMPLETED')) {
    return { ...row, joins: true };
  }
  const left = leftByRow(workflow, upload.inputDigest, { pageRow, losses });
  return { ...row, upload: { ...upload, input: { ...upload.input, ...left } } };
}

/**
 * The newer of two sessions: the one of the row's own upload, and the one in the page journal. Temporal forgets
 * uploads after its retention time, but the batch's folder keeps its journals.
 */
function leftByRow(
  workflow: WorkflowExecutionDescription | undefined,
  inputDigest: string,
  { pageRow: { result, session }, losses }: { readonly pageRow: PageRow; readonly losses: number },
): Left {
  // A run of the page that was lost could not note a `start` without an answer.
  const isUnknown = losses > 0 && result === undefined && session === undefined;
  const startPending = isUnknown || result?.startPending === true;
  const inJournal = leftIn({ ...session, ...(startPending ? { startPending } : {}) });
  if (workflow === undefined) return inJournal;
  const memo: UploadMemo = workflow.memo ?? {};
  const isNewer = session === undefined || workflow.startTime > new Date(session.notedAt);
  if (memo.inputDigest !== inputDigest || !isNewer) return inJournal;
  return { ...inJournal, ...leftBy({ status: workflow.status, memo }) };
}
