import type { EarlierSession } from '../../api/upload/request/upload-request';
import type { Orphan } from '../../api/upload/upload-steps';
import type { ManifestRow } from '../../manifest/row';
import { rowWorkflowId } from '../contract/batch-ids';
import type { ResultLine } from '../contract/batch';

interface Untouched extends Pick<ResultLine, 'status' | 'attempts' | 'round' | 'endedAt'> {
  readonly accountId: string;
  readonly batchId: string;
  readonly error: NonNullable<ResultLine['error']>;
  /** The session of the row in the page journal. */
  readonly session?: EarlierSession | undefined;
}

/** The result line of a row that has no result in its journal. */
export function untouchedLine(row: ManifestRow, known: Untouched): ResultLine {
  const { accountId, batchId, status, attempts, error, session, round, endedAt } = known;
  return {
    line: row.line,
    id: row.id,
    source: row.source,
    status,
    workflowId: rowWorkflowId(accountId, batchId, row.id),
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
