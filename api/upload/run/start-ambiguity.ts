import type { ErrorCode } from '../../errors';
import { MediaServiceError } from '../../errors';
import type { UploadControl } from './upload-control';
import { stepFailureOf } from './upload-failure';
import type { UploadTracker } from './upload-tracker';
import type { StartedSession, StartInput, StepFailure, UploadSteps } from '../upload-steps';

/** Sessions that one upload makes, or may make, at most. */
export const MOST_SESSIONS = 3;
/** How long a `start` that never left, or met a 429, is repeated, ms. */
const UNSENT_PATIENCE_MS = 15 * 60_000;
const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 60_000;

interface StartContext {
  readonly steps: UploadSteps;
  readonly control: UploadControl;
  readonly tracker: UploadTracker;
}

/**
 * Starts one upload session. Where a `start` may have made a session whose answer was lost, that one is searched for and noted as
 * an orphan before the next `start`; never more than `MOST_SESSIONS` of them in one upload. A refusal is final, and
 * so is an answer of no use; a request that never left and a 429 are repeated. docs/decisions/0002.
 */
export async function startUnambiguously(input: StartInput, context: StartContext): Promise<StartedSession> {
  const { steps, control, tracker } = context;
  const giveUpAt = control.clock.now() + UNSENT_PATIENCE_MS;
  let delayMs = FIRST_DELAY_MS;
  let unauthorized = false;
  for (;;) {
    tracker.startPending = true;
    try {
      const session = await steps.startSession(input);
      tracker.startPending = false;
      tracker.sessionsStarted += 1;
      return session;
    } catch (error) {
      const failure = stepFailureOf(error, control);
      const verdict = verdictOf(failure, unauthorized);
      if (verdict === 'cancelled') throw error;
      tracker.startPending = verdict === 'ambiguous' || verdict === 'unfit';
      if (verdict === 'refused') throw error;
      if (verdict === 'unsent') {
        if (control.clock.now() + delayMs > giveUpAt) throw error;
        await control.clock.sleep(Math.max(delayMs, failure.facts.retryAfterMs ?? 0));
        delayMs = Math.min(LONGEST_DELAY_MS, delayMs * 2);
        continue;
      }
      unauthorized ||= failure.code === 'Unauthorized';
      await noteOrphans(input.ingestKey, failure, context);
      if (verdict === 'unfit' || tracker.sessionsStarted >= MOST_SESSIONS)
        throw endOfTries(error, failure, tracker);
    }
  }
}

type StartVerdict = 'cancelled' | 'refused' | 'unsent' | 'once-more' | 'ambiguous' | 'unfit';

/** Codes of failures that carry no outcome and yet say that no request was sent. */
const BEFORE_SENDING: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'Validation',
  'Configuration',
  'LoginRefused',
  'RequestRefused',
  'AccountNotServed',
  'InputTooNew',
  'InputDiffers',
]);

function verdictOf({ code, facts }: StepFailure, unauthorizedBefore: boolean): StartVerdict {
  if (code === 'Cancelled') return 'cancelled';
  // The session exists, but what `start` answered is of no use; the next answer would be like it.
  if (facts.details?.['repeatable'] === false) return 'unfit';
  if (code === 'StartAmbiguous') return facts.details?.['ingestTag'] === false ? 'unfit' : 'ambiguous';
  if (code === 'Unauthorized') return unauthorizedBefore ? 'refused' : 'once-more';
  if (code === 'RateLimited' && facts.outcome === 'refused') return 'unsent';
  const passes = PASSING.has(code) && facts.details?.['permanent'] !== true;
  if (facts.outcome === 'unsent' && passes) return 'unsent';
  if (facts.outcome === 'refused' || facts.outcome === 'unsent') return 'refused';
  return facts.outcome === undefined && BEFORE_SENDING.has(code) ? 'refused' : 'ambiguous';
}

/** Codes of failures that pass by themselves. */
const PASSING: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'Transport',
  'ServiceFailed',
  'RateLimited',
  // The task was misrouted: another worker may hold the account's secrets.
  'AccountNotServed',
]);

async function noteOrphans(ingestKey: string, failure: StepFailure, context: StartContext): Promise<void> {
  const { steps, control, tracker } = context;
  if (tracker.startPending) tracker.sessionsStarted += 1;
  const { uploadId, ingestTag } = failure.facts.details ?? {};
  if (typeof uploadId === 'string') {
    tracker.startPending = false;
    tracker.orphansFound({ orphans: [{ uploadId, reason: failure.message }], verifiable: true });
    return;
  }
  if (ingestTag === false) {
    tracker.orphansFound({ orphans: [], verifiable: false });
    return;
  }
  try {
    tracker.orphansFound(await steps.findOrphans({ ingestKey, known: tracker.knownIds() }));
  } catch (error) {
    if (stepFailureOf(error, control).code === 'Cancelled') throw error;
    tracker.orphansFound({ orphans: [], verifiable: false });
  }
}

function endOfTries(error: unknown, failure: StepFailure, tracker: UploadTracker): MediaServiceError {
  const found = tracker.orphans.length;
  const known =
    found === 0
      ? 'upload sessions may exist that were not found'
      : `${found} of the sessions that it made ${found === 1 ? 'was' : 'were'} found`;
  return new MediaServiceError(
    failure.code,
    `${failure.message}; no further session is started, and ${known}`,
    { ...failure.facts, outcome: 'ambiguous' },
    { cause: error },
  );
}
