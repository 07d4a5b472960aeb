import type { ManifestRow } from '../../../../manifest/row';
import { uploadWorkflowId } from '../../../contract';
import { batchIngestKey } from '../../../contract/batch';
import type { AccountLine } from '../../../contract/batch';

export interface Untouched extends Pick<AccountLine, 'status' | 'attempts' | 'round' | 'endedAt'> {
  readonly accountId: string;
  readonly batchId: string;
  readonly error: NonNullable<AccountLine['error']>;
}

/** The account's line of a row of which nothing was written down. */
export function untouchedLine(row: ManifestRow, known: Untouched): AccountLine {
  const { accountId, batchId, status, attempts, error, round, endedAt } = known;
  return {
    line: row.line,
    id: row.id,
    source: row.source,
    status,
    workflowId: uploadWorkflowId(accountId, batchIngestKey(batchId, row.id)),
    ...(row.media.title === undefined ? {} : { title: row.media.title }),
    attempts,
    error,
    orphans: [],
    round,
    endedAt,
  };
}
