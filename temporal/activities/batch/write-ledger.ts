import type { Place } from '../../../places/place';
import type { ForAccount, UploadMemo } from '../../contract';
import type { AccountLine } from '../../contract/batch';
import type { ActivityDeps } from '../context/activity-deps';
import { describedWorkflow } from './described-workflow';
import { inPatientActivity } from './in-patient-activity';
import { ledgerFile } from './ledger/batch-files';
import { writeLines } from './ledger/line-files';

type Input = ForAccount<{
  readonly folder: Place;
  readonly page: number;
  readonly round: number;
  readonly writer: string;
  readonly chunk: number;
  readonly lines: readonly AccountLine[];
}>;

/** Writes what became of some rows of a page, as one file that never changes. */
export function writeLedger(deps: ActivityDeps) {
  return ({ folder, lines, ...file }: Input): Promise<void> =>
    inPatientActivity(async () => {
      const named: AccountLine[] = [];
      for (const line of lines) named.push(await withSession(line));
      await writeLines(deps.places, ledgerFile(folder, file), named);
    });
}

/** A cancellation carries no words through Temporal: which session stays at the service stands in the upload's memo. */
async function withSession(line: AccountLine): Promise<AccountLine> {
  if (line.status !== 'CANCELLED' || line.uploadId !== undefined) return line;
  const { uploadId, mediaId, cancelled }: UploadMemo = (await describedWorkflow(line.workflowId))?.memo ?? {};
  if (uploadId === undefined) return line;
  const ids = { uploadId, ...(mediaId === undefined ? {} : { mediaId }) };
  return {
    ...line,
    ...ids,
    ...(cancelled === undefined ? {} : { error: { code: 'Cancelled', ...cancelled } }),
    orphans: [...line.orphans, { ...ids, reason: 'the upload was cancelled' }],
  };
}
