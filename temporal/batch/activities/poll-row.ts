import { Context } from '@temporalio/activity';
import { MediaServiceError } from '../../../api/errors';
import { given } from '../../../api/json';
import { isRetryable } from '../../../api/retry';
import { DEFAULT_UPLOAD_OPTIONS } from '../../../api/options/upload-options';
import { pollSession, processingFailed } from '../../../api/upload/session/poll-session';
import type { Processing } from '../files/page-journal';
import { failedLine } from '../files/result-line';
import type { EndedLine, PageInput } from '../types';
import type { ForAccount } from '../../upload/types';
import { accountOf } from '../../worker/activity-deps';
import { countedPoll, countedStep } from '../../telemetry/activities';
import type { ActivityDeps } from '../../worker/activity-deps';
import { stillRunning } from '../../worker/in-activity';

/** The maximum time between two tries of a page that only polls, ms. */
const MAX_DELAY_MS = 60_000;

/** Ends a try of a page of which only rows are left that the service processes. */
export function stillProcessed(rows: number, { upload }: PageInput['options']): Error {
  const { pollDelayMs } = { ...DEFAULT_UPLOAD_OPTIONS, ...upload };
  const delays = { firstDelayMs: pollDelayMs, maxDelayMs: MAX_DELAY_MS };
  return stillRunning(`The processing of ${String(rows)} rows`, Context.current().info.attempt, delays);
}

interface Poll extends ForAccount<Pick<PageInput, 'options'>> {
  readonly processing: Processing;
}

/** The end of a row that the service processes. Undefined: it still does, or can't be asked at the moment. */
export async function pollRow(
  deps: ActivityDeps,
  { accountId, options, processing: { line, completedAt } }: Poll,
  signal: AbortSignal,
): Promise<EndedLine | undefined> {
  const { processingLimitMs: limitMs } = { ...DEFAULT_UPLOAD_OPTIONS, ...options.upload };
  const { uploadId = '' } = line;
  try {
    await deps.accountRates.admitCall(accountId, signal);
    const input = { uploadId, completedAt, limitMs };
    const counted = { metrics: deps.metrics, account: accountId };
    const outcome = await countedStep({ ...counted, step: 'pollSession' }, async () =>
      countedPoll(counted, await pollSession(accountOf(deps, accountId).service, input, signal)),
    );
    if (!outcome.done) return undefined;
    const { session } = outcome;
    if (session.status === 'FAILED') throw processingFailed(session);
    const { mediaId = line.mediaId, fileUrl } = session;
    const endedAt = new Date().toISOString();
    return { line: { ...line, ...given({ mediaId, fileUrl }), status: 'COMPLETED', endedAt } };
  } catch (error) {
    if (signal.aborted || !(error instanceof MediaServiceError)) throw error;
    // A refused token says nothing of the row.
    if (isRetryable(error) || error.code === 'Unauthorized') return undefined;
    return { line: { ...line, ...failedLine(line, { failure: error }) }, failure: error };
  }
}
