import { Context } from '@temporalio/activity';
import { MediaServiceError } from '../../../api/errors';
import { given } from '../../../api/json';
import { DEFAULT_UPLOAD_OPTIONS } from '../../../api/options/upload-options';
import { isRetryable } from '../../../api/retry';
import { runUpload } from '../../../api/upload/engine/run-upload';
import { stepFailureOf } from '../../../api/upload/engine/upload-tracker';
import { directControl } from '../../../api/upload/engine/direct-steps';
import { pollSession, processingFailed } from '../../../api/upload/protocol/poll-session';
import { sourceIdentity } from '../../../api/upload/sources/source-rules';
import type { PinnedSource } from '../../../api/upload/sources/source';
import type { StepFailure } from '../../../api/upload/types';
import type { Processing } from '../files/page-journal';
import { completedLine, failedLine } from '../files/result-line';
import { countedPoll, countedStep } from '../../telemetry/activities';
import { DEFAULT_BATCH_OPTIONS } from '../types';
import type { BatchOptions, EndedLine } from '../types';
import { STEP_RETRY_MS } from '../../upload/types';
import { accountOf } from '../../worker/activity-deps';
import { stillRunning } from '../../worker/in-activity';
import { RowRun } from './row-steps';
import type { RowContext, RowUpload } from './row-steps';

/** How long a row waits for the end of its processing in its slot, ms. After that, its page waits for it. */
const PROCESSING_IN_SLOT_MS = 5_000;
/** First pause between two reads in its slot, ms. It doubles. */
const FIRST_PAUSE_MS = 1_000;

/**
 * `large`: the pinned file. `unstarted`: the row waits again; whether no `start` of it was sent. `leftBecause`: another
 * worker may be able to upload it.
 */
export type RowEnd =
  | EndedLine
  | { readonly processing: Processing }
  | { readonly large: PinnedSource }
  | { readonly unstarted: boolean; readonly leftBecause?: MediaServiceError };

/** Uploads one row in this process. Rejects only with an unknown error. */
export async function uploadRow(context: RowContext, row: RowUpload): Promise<RowEnd> {
  const { name, request } = row;
  const run = new RowRun(context, row);
  const { steps } = run;
  // The upload handles a failure of the pin.
  const pinned = await steps.pinSource({ source: request.source }).catch(() => undefined);
  const { smallFileBytes } = { ...DEFAULT_BATCH_OPTIONS, ...context.options };
  if (pinned !== undefined && pinned.bytes > smallFileBytes) return { large: pinned };
  const { service } = accountOf(context.deps, context.accountId);
  const control = directControl(service, steps, {
    ...{ signal: context.signal, retryForMs: STEP_RETRY_MS, onProgress: () => undefined },
    onSession: (session) => run.sessionBegan(session),
  });
  let processing: Processing;
  try {
    const result = await runUpload(request, steps, control);
    const identity = pinned === undefined ? run.session?.identity : sourceIdentity(pinned);
    const joined = result.earlier === true && !row.isContinued;
    const line = completedLine(name, { result, joined, identity });
    const completedAt = run.processingSince;
    if (completedAt === undefined) return { line };
    const { status: _status, endedAt: _endedAt, ...known } = line;
    processing = { completedAt, line: known };
  } catch (error) {
    return endOf(stepFailureOf(error, control), run);
  }
  return (await pollInSlot(context, processing)) ?? { processing };
}

async function endOf({ code, message, facts }: StepFailure, run: RowRun): Promise<RowEnd> {
  const { context, row, session } = run;
  const { uploadId, orphans, startPending } = facts.details ?? {};
  // During a cancellation, a step can fail in another way. That counts as part of the cancellation.
  const isCancelled = code === 'Cancelled' || (context.signal.aborted && code !== 'ProcessingFailed');
  const isUntouched = uploadId === undefined && orphans === undefined && startPending === undefined;
  if (isCancelled && isUntouched) return { unstarted: true };
  const end = new MediaServiceError(isCancelled ? 'Cancelled' : code, message, facts);
  const { error: failure, isLeft } = await context.refusals.judge(end);
  if (isLeft) return { unstarted: isUntouched, leftBecause: failure };
  return { line: failedLine(row.name, { failure, session }), failure };
}

/** The maximum time between two tries of a page that only polls, ms. */
const MAX_DELAY_MS = 60_000;

/** Ends the try of a page whose other rows have ended. */
export function stillProcessed(rows: number, { upload }: BatchOptions): Error {
  const { pollDelayMs: firstDelayMs } = { ...DEFAULT_UPLOAD_OPTIONS, ...upload };
  const delays = { firstDelayMs, maxDelayMs: MAX_DELAY_MS };
  return stillRunning(`The processing of ${String(rows)} rows`, Context.current().info.attempt, delays);
}

/** The end of a row, if it comes soon. Undefined: the service still processes it. */
async function pollInSlot(context: RowContext, processing: Processing): Promise<EndedLine | undefined> {
  const { signal } = context;
  const { clock } = accountOf(context.deps, context.accountId).service;
  const until = clock.now() + PROCESSING_IN_SLOT_MS;
  try {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2) {
      const end = await pollRow(context, processing);
      if (end !== undefined || clock.now() + pauseMs > until) return end;
      await clock.sleep(pauseMs, signal);
    }
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

/** The end of a row that the service processes. Undefined: it still does, or can't be asked at the moment. */
export async function pollRow(
  { deps, accountId, signal, options, onRetry, refusals }: RowContext,
  { line, completedAt }: Processing,
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
    onRetry(line.id, undefined);
    if (!outcome.done) return undefined;
    const { session } = outcome;
    if (session.status === 'FAILED') throw processingFailed(session);
    const { mediaId = line.mediaId, fileUrl } = session;
    const endedAt = new Date().toISOString();
    return { line: { ...line, ...given({ mediaId, fileUrl }), status: 'COMPLETED', endedAt } };
  } catch (error) {
    if (signal.aborted || !(error instanceof MediaServiceError)) throw error;
    // A refused token says nothing of the row.
    if (isRetryable(error) || error.code === 'Unauthorized') {
      onRetry(line.id, error);
      return undefined;
    }
    const { error: failure, isLeft } = await refusals.judge(error);
    onRetry(line.id, isLeft ? failure : undefined);
    return isLeft ? undefined : { line: { ...line, ...failedLine(line, { failure }) }, failure };
  }
}
