import type { Place } from '../../../places/place';
import type { ForAccount, UploadMemo } from '../../contract';
import type { AccountLine, SessionEntry } from '../../contract/batch';
import { earlierSessionOf } from '../../contract/earlier-session';
import type { ActivityDeps } from '../context/activity-deps';
import { describedWorkflow } from './described-workflow';
import { inPatientActivity } from './in-patient-activity';
import { journalFile } from './journal/batch-files';
import { writeLines } from './journal/line-files';

type Input = ForAccount<{
  readonly folder: Place;
  readonly page: number;
  readonly round: number;
  readonly writer: string;
  readonly chunk: number;
  readonly lines: readonly (AccountLine | SessionEntry)[];
}>;

/** Writes entries of a page journal, as one file that never changes. */
export function writeJournal(deps: ActivityDeps) {
  return ({ folder, lines, ...file }: Input): Promise<void> =>
    inPatientActivity(async () => {
      const named: (AccountLine | SessionEntry)[] = [];
      for (const line of lines) named.push('status' in line ? await withSession(line) : line);
      await writeLines(deps.places, journalFile(folder, file), named);
    });
}

/**
 * A row that had a workflow of its own: with what its memo says of its session, so that the next start finds it after Temporal has forgotten the upload. A cancellation carries no words
 * through Temporal either.
 */
async function withSession(line: AccountLine): Promise<AccountLine> {
  const { status, uploadId } = line;
  if (
    earlierSessionOf(line) !== undefined ||
    status === 'COMPLETED' ||
    (status === 'FAILED' && uploadId === undefined)
  )
    return line;
  const memo: UploadMemo = (await describedWorkflow(line.workflowId))?.memo ?? {};
  const session = earlierSessionOf(memo);
  if (session === undefined || (uploadId !== undefined && uploadId !== session.uploadId)) return line;
  if (status === 'FAILED') return { ...line, ...session };
  const { mediaId } = session;
  const ids = { uploadId: session.uploadId, ...(mediaId === undefined ? {} : { mediaId }) };
  const { cancelled } = memo;
  return {
    ...line,
    ...session,
    ...(cancelled === undefined ? {} : { error: { code: 'Cancelled', ...cancelled } }),
    orphans: [...line.orphans, { ...ids, reason: 'the upload was cancelled' }],
  };
}
