import { Context } from '@temporalio/activity';
import { MediaServiceError } from '../../../api/errors';
import { mapInOrder } from '../../../api/map-in-order';
import { batchPageWorkflowId, batchWorkflowId, rowWorkflowId } from '../ids';
import { isOpen } from '../../client/control-workflow';
import { DESCRIBED_AT_ONCE, describedWorkflow, stillRunning } from '../../worker/in-activity';
import type { StoredPlan } from '../files/stored-plan';
import { uploadNameOf } from '../files/result-line';
import type { PageRow } from '../files/result-line';
import { quoted } from '../../client/list-executions';
import { leftBy } from '../../upload/types';
import type { Left, UploadMemo } from '../../upload/types';

/**
 * Pages of the batch's last start may still run because its root workflow was terminated, which cancels them. They write
 * the results of their rows. Rejects as `stillRunning` until they have ended, and with `TemporalUnreachable` if Temporal
 * can't describe them now. So two starts never upload the same page at once.
 */
export async function requireEarlierPagesEnded(accountId: string, plan: StoredPlan): Promise<void> {
  const batch = batchWorkflowId(accountId, plan.batchId);
  const ids = plan.pages.map((_page, index) => batchPageWorkflowId(batch, plan, index));
  let open = 0;
  try {
    for await (const page of mapInOrder(ids, DESCRIBED_AT_ONCE, describedWorkflow))
      if (page !== undefined && isOpen(page)) open += 1;
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'an unknown failure';
    const message = `the pages of the batch's last start can't be checked: ${reason}`;
    throw new MediaServiceError('TemporalUnreachable', message, { outcome: 'unsent' });
  }
  if (open === 0) return;
  const what = `The batch was started before, and pages of that start end first (${String(open)}): one of them`;
  throw stillRunning(what, Context.current().info.attempt);
}

/** `joins`: the row takes the result of its own workflow. */
type OutsideUpload = { readonly joins: true } | { readonly left: Left };

/** Looks for the own workflow of a row. */
export type LookOutside = (row: PageRow, inputDigest: string) => Promise<OutsideUpload>;

const NONE: OutsideUpload = { left: {} };

/**
 * Most batches have no upload with its own workflow. One look into Temporal's index shows that, so that not every row
 * must be asked for.
 */
export async function lookOutside(accountId: string, batchId: string): Promise<LookOutside> {
  const { workflow } = Context.current().client;
  const { count } = await workflow.count(
    `WorkflowId STARTS_WITH ${quoted(rowWorkflowId(accountId, batchId, ''))}`,
  );
  if (count === 0) return () => Promise.resolve(NONE);
  return async (row, inputDigest) => {
    const upload = await describedWorkflow(rowWorkflowId(accountId, batchId, uploadNameOf(row)));
    if (upload === undefined) return NONE;
    if (isOpen(upload) || upload.status.name === 'COMPLETED') return { joins: true };
    const memo: UploadMemo = upload.memo ?? {};
    // The journal names a session that a page has taken over, so it knows a newer state of the row.
    const isNewer = memo.uploadId === undefined || !row.sessions.includes(memo.uploadId);
    return memo.inputDigest === inputDigest && isNewer
      ? { left: leftBy({ status: upload.status, memo }) }
      : NONE;
  };
}
