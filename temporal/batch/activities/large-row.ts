import { Context } from '@temporalio/activity';
import type { StepFailure } from '../../../api/upload/upload-steps';
import { differenceText, differingParts } from '../../upload/client/input-digest';
import { earlierSessionOf, leftBy } from '../../upload/types';
import type { ForAccount, Left, UploadMemo, UploadWorkflowResult } from '../../upload/types';
import { stepFailureOf } from '../../failure';
import type { ActivityDeps } from '../../worker/activity-deps';
import { isOpen } from '../../client/control-workflow';
import { describedWorkflow, inRetryableActivity, stillRunning } from '../../worker/in-activity';
import type { UploadResult } from '../../../api/upload/request/upload-request';
import { JournalWriter } from '../files/journal-writer';
import { completedLine, failedLine } from '../files/result-line';
import type { RowName } from '../files/result-line';
import type { PageInput, ResultLine } from '../types';

type UploadWorkflow = () => Promise<UploadWorkflowResult>;
type Input = ForAccount<{ readonly workflowId: string; readonly inputDigest: string }>;

/** `left`: the upload was cancelled or terminated, and it can be started again with what it left. */
type JoinedUpload =
  { readonly result: UploadWorkflowResult } | { readonly failure: StepFailure } | { readonly left: Left };

/**
 * Waits for an upload that somebody else started, usually another run of the batch, and returns how it ended. While
 * the upload runs, each try ends as BENIGN and costs neither history nor a slot. An upload of something else is a
 * failure, `InputDiffers`.
 */
export function joinUpload(_deps: ActivityDeps) {
  return ({ workflowId, inputDigest }: Input): Promise<JoinedUpload> =>
    inRetryableActivity(async () => {
      const upload = await describedWorkflow(workflowId);
      if (upload === undefined) return { left: {} };
      const memo: UploadMemo = upload.memo ?? {};
      const differing = differingParts(inputDigest, memo.inputDigest);
      if (differing.length > 0) return { failure: otherUpload(workflowId, differing) };
      if (isOpen(upload)) throw stillRunning('The upload that was joined', Context.current().info.attempt);
      switch (upload.status.name) {
        case 'CANCELLED':
        case 'TERMINATED':
          return { left: leftBy({ status: upload.status, memo }) };
        default:
          return await endOf(workflowId, upload.runId);
      }
    });
}

async function endOf(workflowId: string, runId: string): Promise<JoinedUpload> {
  const handle = Context.current().client.workflow.getHandle<UploadWorkflow>(workflowId, runId);
  try {
    return { result: await handle.result() };
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkflowFailedError')
      return { failure: stepFailureOf(error) };
    throw error;
  }
}

function otherUpload(workflowId: string, differing: readonly string[]): StepFailure {
  return {
    code: 'InputDiffers',
    message: `The upload ${workflowId} already exists with ${differenceText(differing)}.`,
    facts: {
      outcome: 'refused',
      details: { workflowId, differs: differing.join(', ') },
      hint: 'Give the row another id.',
    },
  };
}

/** How a row with its own workflow ended. */
export type OwnEnd =
  { readonly result: UploadResult; readonly joined: boolean } | { readonly failure: StepFailure };

type EndRowInput = ForAccount<Pick<PageInput, 'batchId' | 'folder' | 'page' | 'round' | 'losses'>> & {
  /** See `JournalSegment`. */
  readonly turn: number;
  readonly name: RowName;
  readonly end: OwnEnd;
};

/** Writes the result of a row with its own workflow to the page journal, and returns it. */
export function endRow(deps: ActivityDeps) {
  return ({ folder, name, end, ...at }: EndRowInput): Promise<ResultLine> =>
    inRetryableActivity(async () => {
      const line =
        'result' in end
          ? completedLine(name, { ...end, identity: (await memoOf(name)).identity })
          : await withSession(failedLine(name, end));
      const { attempt } = Context.current().info;
      const journal = new JournalWriter(deps.files, folder, { ...at, attempt });
      try {
        await journal.write(line);
      } finally {
        await journal.close();
      }
      return { ...line, orphans: [] };
    });
}

async function memoOf({ workflowId }: Pick<RowName, 'workflowId'>): Promise<UploadMemo> {
  return (await describedWorkflow(workflowId))?.memo ?? {};
}

/**
 * Adds the session from the memo of the row's own workflow. So the next start finds the session even after Temporal
 * has forgotten the upload. A cancellation can't carry it through Temporal either.
 */
async function withSession(line: ResultLine): Promise<ResultLine> {
  const { status, uploadId } = line;
  if (earlierSessionOf(line) !== undefined || (status === 'FAILED' && uploadId === undefined)) return line;
  const memo = await memoOf(line);
  const session = earlierSessionOf(memo);
  const pending = memo.startPending === true ? { startPending: true as const } : {};
  if (session === undefined || (uploadId !== undefined && uploadId !== session.uploadId))
    return { ...line, ...pending };
  if (status === 'FAILED') return { ...line, ...session, ...pending };
  const { mediaId } = session;
  const ids = { uploadId: session.uploadId, ...(mediaId === undefined ? {} : { mediaId }) };
  const { cancelled } = memo;
  return {
    ...line,
    ...session,
    ...pending,
    ...(cancelled === undefined ? {} : { error: { code: 'Cancelled', ...cancelled } }),
    orphans: [...line.orphans, { ...ids, reason: 'the upload was cancelled' }],
  };
}
