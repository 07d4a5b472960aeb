import { labelOfSource } from '../../../../api/upload/sources/source-label';
import type { ManifestRow } from '../../../../manifest/row';
import { sourceOf } from '../../../../manifest/row-request';
import { uploadWorkflowId } from '../../../contract';
import { batchIngestKey } from '../../../contract/batch';
import type { AccountLine, BatchOptions } from '../../../contract/batch';
import { rowPlaceOf } from '../row-place';

export interface Untouched extends Pick<AccountLine, 'status' | 'attempts' | 'round' | 'endedAt'> {
  readonly accountId: string;
  readonly batchId: string;
  readonly options: BatchOptions;
  readonly error: NonNullable<AccountLine['error']>;
}

/** The account's line of a row of which nothing was written down. */
export function untouchedLine(row: ManifestRow, known: Untouched): AccountLine {
  const { accountId, batchId, options, status, attempts, error, round, endedAt } = known;
  return {
    line: row.line,
    id: row.id,
    // An http row's source is its label already.
    source: /^https?:/i.test(row.source)
      ? row.source
      : labelOfSource(sourceOf(row.source, rowPlaceOf(options))),
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
