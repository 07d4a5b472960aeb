import { adviceOf } from '../../../api/advice';
import { given } from '../../../api/json';
import type { ErrorFacts } from '../../../api/errors';
import type { LoadedRow } from '../../batch/loaded-row';
import type { Orphan } from '../../../api/upload/upload-steps';
import type { EndedRow } from '../../contract/batch';
import type { RowEnd } from './row-workflow';

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
): EndedRow {
  return { ...named(ending), status: 'COMPLETED', ...(joined ? { joined } : {}), ...result };
}

/** The line of a row that failed or was cancelled. The failure's code decides which. */
export function failedLine(
  ending: Ending,
  { failure, session }: Extract<RowEnd, { readonly failure: unknown }>,
): EndedRow {
  const { code, message, facts } = failure;
  const { uploadId, mediaId, orphans, startPending }: ErrorDetails = { ...session, ...facts.details };
  const textOf = (id: unknown): string | undefined => (typeof id === 'string' ? id : undefined);
  const ids = given({ uploadId: textOf(uploadId), mediaId: textOf(mediaId) });
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
    ...(startPending === true ? { startPending } : {}),
    error: { code, message, ...adviceOf(facts) },
    orphans: left,
  };
}

function named({
  row,
  round,
  now,
}: Ending): Pick<EndedRow, 'line' | 'id' | 'source' | 'title' | 'attempts' | 'round' | 'endedAt'> {
  const title = row.upload?.input.media.title ?? row.title;
  return {
    line: row.line,
    id: row.id,
    source: row.source,
    ...(title === undefined ? {} : { title }),
    attempts: row.attempts + 1,
    round,
    endedAt: new Date(now).toISOString(),
  };
}
