import type { WorkflowExecutionDescription } from '@temporalio/client';
import { mapAll } from '../../../api/map-in-order';
import { isOpen } from '../../client/control-workflow';
import { rowWorkflowId } from '../../contract/batch-ids';
import { leftBy, leftIn } from '../../contract/earlier-run';
import type { Left } from '../../contract/earlier-run';
import type { ForAccount, UploadMemo } from '../../contract/upload';
import { describedWorkflow } from './described-workflow';
import type { NotedSession, PageJournal } from '../../batch/page-journal';
import type { LoadedRow } from '../../batch/loaded-row';

type Input = ForAccount<{
  readonly batchId: string;
  /** How often the page was lost. */
  readonly losses: number;
}>;

const DESCRIBED_AT_ONCE = 16;

/**
 * Adds what each row has already: an upload under its key, even one that no batch started, or a session that an
 * earlier run of the row left.
 */
export async function withEarlierUploads(
  rows: readonly LoadedRow[],
  { lines, sessions }: PageJournal,
  { accountId, batchId, losses }: Input,
): Promise<LoadedRow[]> {
  return mapAll(rows, DESCRIBED_AT_ONCE, (row) => {
    const line = lines.get(row.id);
    const session = sessions.get(row.id);
    // A run of the page that was lost could not note a `start` without an answer.
    const isUnknown = losses > 0 && line === undefined && session === undefined;
    return withEarlierUpload(row, rowWorkflowId(accountId, batchId, row.id), {
      session,
      startPending: isUnknown || line?.startPending === true,
    });
  });
}

async function withEarlierUpload(row: LoadedRow, workflowId: string, noted: Noted): Promise<LoadedRow> {
  const { upload } = row;
  if (upload === undefined) return row;
  const workflow = await describedWorkflow(workflowId);
  if (workflow !== undefined && (isOpen(workflow) || workflow.status.name === 'COMPLETED')) {
    return { ...row, joins: true };
  }
  const left = leftByRow(workflow, upload.inputDigest, noted);
  return { ...row, upload: { ...upload, input: { ...upload.input, ...left } } };
}

/** What the page journal says of a row. */
interface Noted {
  readonly session: NotedSession | undefined;
  readonly startPending: boolean;
}

/**
 * The newer of two sessions: the one of the row's own upload, and the one in the page journal. Temporal forgets
 * uploads after its retention time, but the batch's folder keeps its journals.
 */
function leftByRow(
  workflow: WorkflowExecutionDescription | undefined,
  inputDigest: string,
  { session, startPending }: Noted,
): Left {
  const inJournal = leftIn({ ...session, ...(startPending ? { startPending } : {}) });
  if (workflow === undefined) return inJournal;
  const memo: UploadMemo = workflow.memo ?? {};
  const isNewer = session === undefined || workflow.startTime > new Date(session.notedAt);
  if (memo.inputDigest !== inputDigest || !isNewer) return inJournal;
  return { ...inJournal, ...leftBy({ status: workflow.status, memo }) };
}
