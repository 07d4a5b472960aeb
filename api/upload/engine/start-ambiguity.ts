import { MediaServiceError } from '../../errors';
import { isTemporary } from '../../retry';
import { stepFailureOf } from './upload-tracker';
import type { UploadControl, UploadTracker } from './upload-tracker';
import type { HostWait, StartedSession, StartInput, StepFailure, UploadSteps } from '../types';

/** Max sessions that one upload creates, or may have created. */
export const MAX_SESSIONS = 3;
/** First pause before a `start` that was never sent, or met a 429, is repeated, ms. It doubles. */
const UNSENT_PAUSE_MS = 1_000;
/** Growth of the pauses before a `start` with a lost answer is repeated. There are only `MAX_SESSIONS` - 1 of them. */
const LOST_GROWTH = 30;
const MAX_PAUSE_MS = 15 * 60_000;

interface StartContext {
  readonly steps: UploadSteps;
  readonly control: UploadControl;
  readonly tracker: UploadTracker;
  /** An earlier run sent a `start`, and its answer is unknown. */
  readonly startPending: boolean;
  /** Pause before the first repetition of a `start` with a lost answer, ms. */
  readonly startPauseMs: number;
}

/**
 * Starts one upload session, and repeats a failed `start` only once the upload host answers again. docs/decisions/start-and-complete.
 * - A `start` that was never sent, or met a 429, is repeated for `retryForMs`.
 * - A `start` whose answer was lost may have created a session. It is repeated after 30 s, then after 15 minutes.
 *   Before that, once the `start` can no longer be on its way, its session is searched for and noted as an orphan. One
 *   upload never creates more than `MAX_SESSIONS` of them.
 * - A refusal is final, and so is an unusable answer.
 */
export async function startUnambiguously(input: StartInput, context: StartContext): Promise<StartedSession> {
  const { steps, control, tracker } = context;
  const pauses = createPauses(input, context);
  let unauthorized = false;
  let lost = 0;
  const start = (): Promise<StartedSession> => steps.startSession(input);
  let send = context.startPending ? lostBefore : start;
  for (;;) {
    const wasPending = tracker.startPending;
    tracker.startPending = true;
    try {
      const session = await send();
      tracker.startPending = false;
      return session;
    } catch (error) {
      send = start;
      const failure = stepFailureOf(error, control);
      const verdict = verdictOf(failure, unauthorized);
      if (verdict === 'cancelled') {
        if (failure.facts.outcome === 'unsent') tracker.startPending = wasPending;
        throw error;
      }
      tracker.startPending = verdict === 'ambiguous' || verdict === 'unfit';
      if (verdict === 'refused') throw error;
      if (verdict === 'unsent') {
        const pauseMs = pauses.unsent(failure);
        if (pauseMs === undefined) throw error;
        await steps.awaitUploadHost({ pauseMs, failure });
        continue;
      }
      unauthorized ||= failure.code === 'Unauthorized';
      if (tracker.startPending) lost += 1;
      const isLast = verdict === 'unfit' || lost >= MAX_SESSIONS;
      if (verdict === 'ambiguous' && isLast) await control.clock.sleep(pauses.arrival(failure));
      else if (verdict === 'ambiguous')
        await awaitHost(error, { failure, pauseMs: pauses.lost(failure) }, context);
      await noteOrphans(input.ingestKey, failure, context);
      if (isLast) throw endOfTries(error, failure, tracker);
    }
  }
}

function lostBefore(): never {
  const message =
    'an earlier run ended before it got the response to upload start: an upload session may exist';
  throw new MediaServiceError('StartAmbiguous', message, {
    operation: 'upload start',
    outcome: 'ambiguous',
    hint: 'Run it again to start another session. To be sure that none was left, ask the operator of the service.',
  });
}

function createPauses({ limitMs }: StartInput, { control, startPauseMs }: StartContext) {
  let unsentMs = UNSENT_PAUSE_MS;
  const firstLostMs = Math.min(MAX_PAUSE_MS, startPauseMs);
  let lostMs = firstLostMs;
  let giveUpAt: number | undefined;
  // A lost worker may still be alive and send the request until its limit.
  const arrival = ({ facts }: StepFailure): number =>
    firstLostMs + (facts.details?.['unanswered'] === true ? limitMs : 0);
  return {
    /** Time until a `start` with a lost answer can no longer be on its way. */
    arrival,
    /** Undefined: it was repeated for long enough. */
    unsent({ facts: { retryAfterMs = 0 } }: StepFailure): number | undefined {
      const now = control.clock.now();
      giveUpAt ??= now + control.retryForMs;
      if (now >= giveUpAt) return undefined;
      // The last try comes right at the limit.
      const pauseMs = Math.min(Math.max(unsentMs, retryAfterMs), giveUpAt - now);
      unsentMs = Math.min(MAX_PAUSE_MS, unsentMs * 2);
      return pauseMs;
    },
    lost(failure: StepFailure): number {
      const pauseMs = Math.max(lostMs, failure.facts.retryAfterMs ?? 0, arrival(failure));
      lostMs = Math.min(MAX_PAUSE_MS, lostMs * LOST_GROWTH);
      return pauseMs;
    },
  };
}

/** If the host never answers, the upload ends with the outcome of its `start`. */
async function awaitHost(
  error: unknown,
  wait: HostWait,
  { steps, control, tracker }: StartContext,
): Promise<void> {
  try {
    await steps.awaitUploadHost(wait);
  } catch (waiting) {
    if (stepFailureOf(waiting, control).code === 'Cancelled') throw waiting;
    throw endOfTries(error, wait.failure, tracker);
  }
}

function verdictOf(failure: StepFailure, unauthorizedBefore: boolean) {
  const { code, facts } = failure;
  if (code === 'Cancelled') return 'cancelled';
  // The session exists, but the answer of `start` is unusable. The next answer would be the same.
  if (facts.details?.['repeatable'] === false) return 'unfit';
  if (code === 'StartAmbiguous') return facts.details?.['ingestTag'] === false ? 'unfit' : 'ambiguous';
  if (code === 'Unauthorized') return unauthorizedBefore ? 'refused' : 'once-more';
  if (code === 'RateLimited' && facts.outcome === 'refused') return 'unsent';
  if (facts.outcome === 'unsent') return isTemporary(failure) ? 'unsent' : 'refused';
  return facts.outcome === 'refused' ? 'refused' : 'ambiguous';
}

async function noteOrphans(ingestKey: string, failure: StepFailure, context: StartContext): Promise<void> {
  const { steps, control, tracker } = context;
  const { uploadId, ingestTag } = failure.facts.details ?? {};
  if (typeof uploadId === 'string') {
    tracker.startPending = false;
    tracker.orphansFound({ orphans: [{ uploadId, reason: failure.message }], verifiable: true });
    return;
  }
  try {
    const known = tracker.knownIds();
    if (ingestTag === false) tracker.orphansFound({ orphans: [], verifiable: false });
    else tracker.orphansFound(await steps.findOrphans({ ingestKey, known }));
  } catch (error) {
    if (stepFailureOf(error, control).code === 'Cancelled') throw error;
    tracker.orphansFound({ orphans: [], verifiable: false });
  }
}

function endOfTries(error: unknown, failure: StepFailure, tracker: UploadTracker): MediaServiceError {
  const found = tracker.orphans.length;
  const known =
    found === 0
      ? 'the service may hold sessions that were not found'
      : `${found} ${found === 1 ? 'session' : 'sessions'} of this upload ${found === 1 ? 'was' : 'were'} found`;
  return new MediaServiceError(
    failure.code,
    `${failure.message}; start is not sent again, and ${known}`,
    { ...failure.facts, outcome: 'ambiguous' },
    { cause: error },
  );
}
