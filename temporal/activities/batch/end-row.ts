import { Context } from '@temporalio/activity';
import type { UploadResult } from '../../../api/upload/request/upload-request';
import type { StepFailure } from '../../../api/upload/upload-steps';
import { JournalWriter } from '../../batch/journal-writer';
import { completedLine, failedLine, type RowName } from '../../batch/result-line';
import type { PageInput, ResultLine } from '../../contract/batch';
import { earlierSessionOf } from '../../contract/earlier-run';
import type { ForAccount, UploadMemo } from '../../contract/upload';
import type { ActivityDeps } from '../context/activity-deps';
import { describedWorkflow } from './described-workflow';
import { inRetryableActivity } from './in-retryable-activity';

/** How a row with its own workflow ended. */
export type OwnEnd =
  { readonly result: UploadResult; readonly joined: boolean } | { readonly failure: StepFailure };

type Input = ForAccount<Pick<PageInput, 'batchId' | 'folder' | 'page' | 'round' | 'losses'>> & {
  /** See `JournalSegment`. */
  readonly turn: number;
  readonly name: RowName;
  readonly end: OwnEnd;
};

/** Writes the result of a row with its own workflow to the page journal, and returns it. */
export function endRow(deps: ActivityDeps) {
  return ({ folder, name, end, ...at }: Input): Promise<ResultLine> =>
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
