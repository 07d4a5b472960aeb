import type { ErrorFacts } from '../../../api/errors';
import type { LoadedRow } from '../../activities/batch/load-page';
import type { Orphan } from '../../../api/upload/upload-steps';
import type { AccountLine } from '../../contract/batch';
import type { RowEnd } from './own-workflow';

type ErrorDetails = NonNullable<ErrorFacts['details']>;

interface Ending {
  readonly row: LoadedRow;
  readonly round: number;
  /** Epoch ms. */
  readonly now: number;
}

export function completedLine(
  ending: Ending,
  { result, joined }: Extract<RowEnd, { readonly result: unknown }>,
): AccountLine {
  return { ...named(ending), status: 'COMPLETED', ...(joined ? { joined } : {}), ...result };
}

/** A row that failed, or was cancelled: the failure's code tells. */
export function failedLine(
  ending: Ending,
  { failure, session }: Extract<RowEnd, { readonly failure: unknown }>,
): AccountLine {
  const { code, message, facts } = failure;
  const { uploadId, mediaId, orphans }: ErrorDetails = { ...session, ...facts.details };
  const ids = {
    ...(typeof uploadId === 'string' ? { uploadId } : {}),
    ...(typeof mediaId === 'string' ? { mediaId } : {}),
  };
  const left: Orphan[] = [
    ...(typeof uploadId === 'string' && code !== 'ProcessingFailed' && code !== 'ProcessingTimeout'
      ? [{ ...ids, reason: code === 'Cancelled' ? 'the upload was cancelled' : 'the upload failed' }]
      : []),
    ...(typeof orphans === 'string' ? [{ reason: orphans }] : []),
  ];
  return {
    ...named(ending),
    status: code === 'Cancelled' ? 'CANCELLED' : 'FAILED',
    ...session,
    ...ids,
    error: { code, message, ...(facts.hint === undefined ? {} : { hint: facts.hint }) },
    orphans: left,
  };
}

function named({
  row,
  round,
  now,
}: Ending): Pick<
  AccountLine,
  'line' | 'id' | 'source' | 'workflowId' | 'title' | 'attempts' | 'round' | 'endedAt'
> {
  return {
    line: row.line,
    id: row.id,
    source: row.source,
    workflowId: row.workflowId,
    ...(row.title === undefined ? {} : { title: row.title }),
    attempts: row.attempts + 1,
    round,
    endedAt: new Date(now).toISOString(),
  };
}
