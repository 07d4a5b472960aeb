import { given } from '../../api/json';
import type { ResultLine } from '../contract/batch';
import { rowWorkflowId } from '../contract/batch-ids';
import { earlierSessionOf } from '../contract/earlier-run';
import { uploadNameOf, type PageRow } from './page-rows';

interface Untouched extends Pick<ResultLine, 'status' | 'attempts' | 'round' | 'endedAt'> {
  readonly accountId: string;
  readonly batchId: string;
  readonly error: NonNullable<ResultLine['error']>;
}

/** The result line of a row that has no result in its journal. */
export function untouchedLine(
  page: PageRow,
  { accountId, batchId, status, attempts, error, round, endedAt }: Untouched,
): ResultLine {
  const { planned, session: noted, left } = page;
  const { row } = planned;
  const session = noted && earlierSessionOf(noted);
  const { uploadId, mediaId } = session ?? {};
  const orphan = { ...given({ uploadId, mediaId }), reason: 'the outcome of its upload is not known' };
  return {
    line: row.line,
    id: row.id,
    source: row.source,
    status,
    workflowId: rowWorkflowId(accountId, batchId, uploadNameOf(page)),
    ...given({ title: row.media.title }),
    ...session,
    attempts,
    error,
    orphans: session === undefined ? left : [orphan, ...left],
    round,
    endedAt,
  };
}
