import { Context } from '@temporalio/activity';
import { uploadNameOf, type PageRow } from '../../batch/page-rows';
import { isOpen } from '../../client/control-workflow';
import { quoted } from '../../client/list-executions';
import { rowWorkflowId } from '../../contract/batch-ids';
import { leftBy, type Left } from '../../contract/earlier-run';
import type { UploadMemo } from '../../contract/upload';
import { describedWorkflow } from './described-workflow';

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
