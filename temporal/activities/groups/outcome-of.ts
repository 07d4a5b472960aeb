import { MediaServiceError } from '../../../api/errors';
import { redact } from '../../../api/answers/redact';
import { jsonBytes } from '../../../api/upload/request/json-size';
import { isRetryable } from '../../../api/retry/retryable';
import { mayPass } from '../../../files/system-error';
import type { StepFailure } from '../../../api/upload/upload-steps';
import type { ActivityCancellationDetails } from '@temporalio/common';
import type { Again, InputOutcome } from '../../contract/groups';
import { NotYet } from './group-step';

/** Temporal refuses results of 2 MB. The rest is for failures and inputs that travel again. */
export const MAX_OUTCOME_BYTES = 1_500_000;

/** The outcome of a try that failed, after this number of tries: a failure or another try. */
export function outcomeOfError<Input, Value>(error: unknown, tries: number): InputOutcome<Input, Value> {
  if (error instanceof NotYet) return { again: { tries, afterMs: error.afterMs } };
  if (error instanceof MediaServiceError) {
    const { code, message, facts } = error;
    const failure: StepFailure = { code, message, facts };
    if (!isRetryable(error)) return { failure };
    const { retryAfterMs: afterMs } = facts;
    return { again: { tries, failure, ...(afterMs === undefined ? {} : { afterMs }) } };
  }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : 'An unknown failure';
  const failure: StepFailure = { code: 'Internal', message: redact(message), facts: {} };
  return mayPass(error) ? { again: { tries, failure } } : { failure };
}

/** For a step that must not be repeated: always a failure. */
export function finalOutcome<Input, Value>(outcome: InputOutcome<Input, Value>): InputOutcome<Input, Value> {
  if (!('again' in outcome)) return outcome;
  return { failure: outcome.again.failure ?? NO_ANSWER };
}

/** A value that may be recorded. A value that is too large becomes this input's failure. */
export function outcomeOfValue<Input, Value>(step: string, value: Value): InputOutcome<Input, Value> {
  const bytes = jsonBytes(value ?? null);
  if (bytes <= MAX_OUTCOME_BYTES) return { value };
  return {
    failure: {
      code: 'UnreadableAnswer',
      message: `the outcome of ${step} is too large: ${bytes} bytes, Temporal records at most ${MAX_OUTCOME_BYTES}`,
      facts: {
        operation: step,
        outcome: 'ambiguous',
        details: { bytes, repeatable: false },
        hint: 'Use fewer parts, or shorter names and metadata.',
      },
    },
  };
}

/** The outcome of an input whose group was cancelled, or whose worker stops. */
export function outcomeOfAbort<Input, Value>(
  details: ActivityCancellationDetails | undefined,
  again: Again<Input>,
): InputOutcome<Input, Value> {
  if (details?.cancelRequested !== true) return { again };
  return { failure: { code: 'Cancelled', message: 'The upload was cancelled.', facts: {} } };
}

/** Nothing was sent, because other parts keep this worker busy. */
export function isCrowdedOut({ code, facts }: StepFailure): boolean {
  return code === 'WorkerBusy' && facts.outcome === 'unsent';
}

/** A request was sent, and its outcome is unknown. */
const NO_ANSWER: StepFailure = {
  code: 'Transport',
  message: 'The worker was stopped before the answer came.',
  facts: { outcome: 'ambiguous', details: { unanswered: true } },
};
