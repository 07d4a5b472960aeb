import type { EarlierSession } from '../../../../api/upload/request/upload-request';
import type { Orphan } from '../../../../api/upload/upload-steps';
import type { ManifestRow } from '../../../../manifest/row';
import { uploadWorkflowId } from '../../../contract';
import { batchIngestKey } from '../../../contract/batch-ids';
import type { AccountLine } from '../../../contract/batch';

export interface Untouched extends Pick<AccountLine, 'status' | 'attempts' | 'round' | 'endedAt'> {
  readonly accountId: string;
  readonly batchId: string;
  readonly error: NonNullable<AccountLine['error']>;
  /** What the page journal names of it. */
  readonly session?: EarlierSession | undefined;
}

/** The results' line of a row whose end was not written down. */
export function untouchedLine(row: ManifestRow, known: Untouched): AccountLine {
  const { accountId, batchId, status, attempts, error, session, round, endedAt } = known;
  return {
    line: row.line,
    id: row.id,
    source: row.source,
    status,
    workflowId: uploadWorkflowId(accountId, batchIngestKey(batchId, row.id)),
    ...(row.media.title === undefined ? {} : { title: row.media.title }),
    ...session,
    attempts,
    error,
    orphans: session === undefined ? [] : [orphanOf(session)],
    round,
    endedAt,
  };
}

function orphanOf({ uploadId, mediaId }: EarlierSession): Orphan {
  const reason = 'the end of its upload is not known';
  return { uploadId, ...(mediaId === undefined ? {} : { mediaId }), reason };
}
