import type { ErrorFacts } from '../../../api/errors';
import { given } from '../../../api/json';
import type { EarlierSession, UploadResult, Orphan, StepFailure } from '../../../api/upload/types';
import type { ResultLine } from '../types';
import { earlierSessionOf } from '../../upload/types';
import { rowWorkflowId } from '../ids';
import type { BatchRound } from '../ids';
import { newerLine } from './page-journal';
import type { PageRow, Processing } from './page-journal';

type ErrorDetails = NonNullable<ErrorFacts['details']>;

/** What every result line of a row has in common. */
export type RowName = Pick<
  ResultLine,
  'line' | 'id' | 'source' | 'title' | 'workflowId' | 'attempts' | 'round' | 'replaces'
>;

/** `attempts` counts the run that begins now. */
export function rowName(page: PageRow, { accountId, batchId, round }: BatchRound): RowName {
  const { result, changed } = page;
  const { row } = page.planned;
  return {
    line: row.line,
    id: row.id,
    source: row.source,
    workflowId: rowWorkflowId(accountId, batchId, uploadNameOf(page)),
    ...given({ title: row.media.title, replaces: changed?.replaces }),
    attempts: (result?.attempts ?? 0) + 1,
    round,
  };
}

/** `joined`: another run of the batch, or somebody else, uploaded the row. `identity`: see `ResultLine`. */
export function completedLine(
  name: RowName,
  {
    result,
    joined,
    identity,
  }: { readonly result: UploadResult; readonly joined: boolean; readonly identity?: string | undefined },
): ResultLine {
  const { parts, earlier, retries, mediaId, fileUrl, uploadId, fileType, bytes, orphans } = result;
  const sent = {
    eTags: parts.map(({ eTag }) => eTag),
    verified: parts.every((part) => part.verified),
    retries,
  };
  return {
    ...name,
    status: 'COMPLETED',
    ...(joined ? { joined: true } : {}),
    ...{ uploadId, ...given({ mediaId, fileUrl, identity }), fileType, bytes, orphans },
    ...(earlier === true ? {} : sent),
    endedAt: new Date().toISOString(),
  };
}

/** The line of a row that failed or was cancelled. The failure's code decides which. `session`: what the row left. */
export function failedLine(
  name: RowName,
  { failure, session }: { readonly failure: StepFailure; readonly session?: EarlierSession | undefined },
): ResultLine {
  const { code, message, facts } = failure;
  const named = earlierSessionOf({ ...session });
  const { uploadId, mediaId, orphans, startPending }: ErrorDetails = { ...named, ...facts.details };
  const textOf = (id: unknown): string | undefined => (typeof id === 'string' ? id : undefined);
  const ids = given({ uploadId: textOf(uploadId), mediaId: textOf(mediaId) });
  const left: Orphan[] = [
    ...(typeof uploadId === 'string' && code !== 'ProcessingFailed' && code !== 'ProcessingTimeout'
      ? [{ ...ids, reason: code === 'Cancelled' ? 'the upload was cancelled' : 'the upload failed' }]
      : []),
    ...(typeof orphans === 'string' ? [{ reason: orphans }] : []),
  ];
  return {
    ...name,
    status: code === 'Cancelled' ? 'CANCELLED' : 'FAILED',
    ...named,
    ...ids,
    ...(startPending === true ? { startPending } : {}),
    error: { code, message, ...given({ requestId: facts.requestId, hint: facts.hint }) },
    orphans: left,
    endedAt: new Date().toISOString(),
  };
}

/** The result line of a row that has not ended when the batch ends. `endedAt`: ISO 8601. */
export function neverEndedLine(
  page: PageRow,
  { endedAt, ...of }: BatchRound & Pick<ResultLine, 'endedAt'>,
): ResultLine {
  const { result, processing, left } = page;
  if (processing !== undefined) {
    const line = stillProcessed(processing);
    const ended = { ...line, orphans: [...line.orphans, ...left], endedAt };
    return result === undefined ? ended : newerLine(result, ended);
  }
  const message = 'The batch ended before this row began.';
  const facts = { hint: 'Start the batch again to upload it.' };
  const failure = { code: 'Cancelled', message, facts } as const;
  const line = failedLine(rowName(page, of), { failure, session: page.session });
  return { ...line, attempts: 0, orphans: [...line.orphans, ...left], endedAt };
}

function stillProcessed({ line }: Processing): ResultLine {
  const message = `only the waiting was cancelled: complete was sent for upload session ${line.uploadId ?? ''}, and the service continues with it`;
  const details = given({ uploadId: line.uploadId, mediaId: line.mediaId });
  const facts = { hint: 'Read the session later to learn how it ended.', details };
  return { ...line, ...failedLine(line, { failure: { code: 'Cancelled', message, facts } }) };
}

/** The name of the row's upload within its batch. A file that has changed is another upload. */
export function uploadNameOf({ planned, changed }: Pick<PageRow, 'planned' | 'changed'>): string {
  const { id } = planned.row;
  return changed === undefined ? id : `${id}~${changed.as}`;
}
