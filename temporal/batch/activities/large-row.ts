import { Context } from '@temporalio/activity';
import type { WorkflowExecutionDescription } from '@temporalio/client';
import { given } from '../../../api/json';
import type { StepFailure, UploadResult } from '../../../api/upload/types';
import { differingParts, otherInput } from '../../upload/client/input-digest';
import { leftBy } from '../../upload/client/left-by';
import { earlierSessionOf } from '../../upload/types';
import type { Left, UploadMemo } from '../../upload/types';
import { stepFailureOf } from '../../failure';
import type { ActivityDeps } from '../../worker/activity-deps';
import { describedWorkflow, inRetryableActivity, stillRunning } from '../../worker/in-activity';
import { JournalWriter } from '../files/journal-writer';
import { completedLine, failedLine, uploadNameOf } from '../files/result-line';
import type { RowName } from '../files/result-line';
import type { PageRow } from '../files/page-journal';
import { isOpen, quoted } from '../../client/list-executions';
import { rowWorkflowId } from '../ids';
import type { EndedLine, PageReport, PageStep, ResultLine } from '../types';

type EndRowInput = PageStep & {
  readonly name: RowName;
  readonly inputDigest: string;
  /** Somebody else started the upload, usually another run of the batch. */
  readonly joined: boolean;
};

export interface EndedOwn extends Pick<PageReport, 'same'> {
  readonly line: ResultLine;
}

/** `left`: the upload of somebody else was cancelled or terminated. It can be started again with what it left. */
export type EndedRow = EndedOwn | { readonly left: Left };

/**
 * Waits until a row's own workflow has ended, and writes its result to the page journal. While the workflow runs, each
 * try ends as BENIGN and costs neither history nor a slot. An upload of something else is a failure, `InputDiffers`.
 */
export function endRow(deps: ActivityDeps) {
  return ({ folder, options, name, inputDigest, joined, ...at }: EndRowInput): Promise<EndedRow> =>
    inRetryableActivity(async () => {
      const { attempt } = Context.current().info;
      const upload = await describedWorkflow(name.workflowId);
      if (upload === undefined) return { left: {} };
      const { status } = upload;
      const memo: UploadMemo = upload.memo ?? {};
      const differing = joined ? differingParts(inputDigest, memo.inputDigest) : [];
      const isSame = differing.length === 0;
      if (isSame && isOpen(upload)) throw stillRunning('The upload of the row', attempt);
      if (isSame && joined && ['CANCELLED', 'TERMINATED'].includes(status.name))
        return { left: await leftBy(Context.current().client, upload) };
      const failure = isSame ? undefined : otherInput(name.workflowId, differing, 'Give the row another id.');
      const end =
        failure === undefined
          ? await endOf(name, upload, joined)
          : { line: failedLine(name, { failure }), failure };
      const journal = new JournalWriter(deps.files, folder, { ...at, attempt });
      try {
        await journal.write(end.line);
      } finally {
        await journal.close();
      }
      const slots = deps.rowSlots.openPage({ ...at, slots: 0, options });
      slots.ended(end);
      const same = slots.unreported();
      slots.close();
      return { line: { ...end.line, orphans: [] }, ...given({ same }) };
    });
}

async function endOf(
  name: RowName,
  { runId, memo: noted }: WorkflowExecutionDescription,
  joined: boolean,
): Promise<EndedLine> {
  const { workflow } = Context.current().client;
  const memo: UploadMemo = noted ?? {};
  const handle = workflow.getHandle<() => Promise<UploadResult>>(name.workflowId, runId);
  try {
    const result = await handle.result();
    const isEarlier = joined || result.earlier === true;
    return { line: completedLine(name, { result, joined: isEarlier, identity: memo.identity }) };
  } catch (error) {
    if (!(error instanceof Error && error.name === 'WorkflowFailedError')) throw error;
    const failure = stepFailureOf(error);
    return { line: failedLineOf(name, failure, memo), failure };
  }
}

/**
 * Takes the session from the upload's memo. So the next start finds the session even after Temporal has forgotten the
 * upload. A cancellation can't carry it through Temporal either.
 */
function failedLineOf(name: RowName, failure: StepFailure, memo: UploadMemo): ResultLine {
  const { startPending, cancelled } = memo;
  const { uploadId } = failure.facts.details ?? {};
  const isCancelled = failure.code === 'Cancelled';
  const session = earlierSessionOf(memo);
  const isOwn = uploadId === undefined ? isCancelled : uploadId === session?.uploadId;
  const line = failedLine(name, { failure, session: isOwn ? session : undefined });
  return {
    ...line,
    ...(startPending === true ? { startPending } : {}),
    ...(isCancelled && cancelled !== undefined ? { error: { code: 'Cancelled', ...cancelled } } : {}),
  };
}

/** `joins`: the row takes the result of its own workflow. */
type OutsideUpload = { readonly joins: true } | { readonly left: Left };

/** Looks for the own workflow of a row. */
export type LookOutside = (row: PageRow, inputDigest: string) => Promise<OutsideUpload>;

/**
 * Most batches have no upload with its own workflow. One look into Temporal's index shows that, so that not every row
 * must be asked for.
 */
export async function lookOutside(accountId: string, batchId: string): Promise<LookOutside> {
  const { client } = Context.current();
  const { count } = await client.workflow.count(
    `WorkflowId STARTS_WITH ${quoted(rowWorkflowId(accountId, batchId, ''))}`,
  );
  if (count === 0) return () => Promise.resolve({ left: {} });
  return async (row, inputDigest) => {
    const upload = await describedWorkflow(rowWorkflowId(accountId, batchId, uploadNameOf(row)));
    if (upload === undefined) return { left: {} };
    if (isOpen(upload) || upload.status.name === 'COMPLETED') return { joins: true };
    const memo: UploadMemo = upload.memo ?? {};
    // The journal names a session that a page has taken over, so it knows a newer state of the row.
    const { result, session, left } = row;
    const named = [result, session, ...left, ...(result?.orphans ?? [])].map((one) => one?.uploadId);
    if (memo.inputDigest !== inputDigest) return { left: {} };
    const all = await leftBy(client, upload);
    const uploadId = all.earlier?.uploadId;
    // The journal names no parts of the session with which the row's own upload failed.
    const isNewest = result !== undefined && session?.uploadId === uploadId;
    const isNewer = uploadId === undefined || isNewest || !named.includes(uploadId);
    if (isNewer) return { left: all };
    // Of its `start`, the journal knows nothing.
    return { left: memo.uploadId === undefined ? given({ startPending: all.startPending }) : {} };
  };
}
