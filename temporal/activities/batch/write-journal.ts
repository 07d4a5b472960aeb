import type { ForAccount, UploadMemo } from '../../contract/upload';
import type { EndedRow, PageInput, ResultLine, SessionEntry } from '../../contract/batch';
import { rowWorkflowId } from '../../contract/batch-ids';
import { earlierSessionOf } from '../../contract/earlier-run';
import { wholeItems, type SharedFields } from '../../contract/shared-fields';
import type { ActivityDeps } from '../context/activity-deps';
import { describedWorkflow } from './described-workflow';
import { inRetryableActivity } from './in-retryable-activity';
import { journalFile } from '../../batch/batch-files';
import { writeLines } from '../../batch/line-files';

type Input = ForAccount<Pick<PageInput, 'batchId' | 'folder' | 'page' | 'round'>> & {
  readonly writer: string;
  readonly chunk: number;
  readonly ended: SharedFields<EndedRow>;
  readonly sessions: SharedFields<SessionEntry>;
};

/** Writes entries of a page journal to one file that never changes. */
export function writeJournal(deps: ActivityDeps) {
  return ({ accountId, batchId, folder, ended, sessions, ...file }: Input): Promise<void> =>
    inRetryableActivity(async () => {
      const lines: ResultLine[] = [];
      for (const { line, id, source, ...end } of wholeItems(ended)) {
        const workflowId = rowWorkflowId(accountId, batchId, id);
        lines.push(await withSession({ line, id, source, workflowId, ...end }));
      }
      await writeLines(deps.files, journalFile(folder, file), [...wholeItems(sessions), ...lines]);
    });
}

/**
 * Adds the session from the memo of the row's own workflow. So the next start finds the session even after Temporal
 * has forgotten the upload. A cancellation can't carry it through Temporal either.
 */
async function withSession(line: ResultLine): Promise<ResultLine> {
  const { status, uploadId } = line;
  if (
    earlierSessionOf(line) !== undefined ||
    status === 'COMPLETED' ||
    (status === 'FAILED' && uploadId === undefined)
  )
    return line;
  const memo: UploadMemo = (await describedWorkflow(line.workflowId))?.memo ?? {};
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
