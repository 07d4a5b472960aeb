import { ERROR_CODES, MediaServiceError } from '../api/errors';
import type { ErrorCode } from '../api/errors';
import { isRecord } from '../api/json';
import type { StepFailure } from '../api/upload/types';

/**
 * Reads the failure from any error: our own, or Temporal's chain of failures (WorkflowFailedError, ActivityFailure,
 * ApplicationFailure …). Checks only the structure and needs no SDK, so clients, workflows and n8n can use it.
 * `application-failure` writes these failures.
 */

export function isErrorCode(text: unknown): text is ErrorCode {
  return ERROR_CODES.some((code) => code === text);
}

/** The failure in the outermost link of the chain that contains one of ours. Never throws. */
export function stepFailureOf(error: unknown): StepFailure {
  for (const link of chainOf(error)) {
    const failure = readLink(link);
    if (failure !== undefined) return failure;
  }
  const message = error instanceof Error ? error.message : 'An unknown failure';
  return { code: 'Internal', message, facts: { outcome: 'ambiguous' } };
}

/** The failure of an activity's last try. A timeout that ended its tries says less. */
export function innermostFailureOf(error: unknown): StepFailure {
  const said = chainOf(error)
    .reverse()
    .find((link) => link.name === 'ApplicationFailure');
  return stepFailureOf(said ?? error);
}

/** The same as an error that a client can throw. The original is its cause. */
export function errorOfFailure(error: unknown): MediaServiceError {
  if (error instanceof MediaServiceError) return error;
  const { code, message, facts } = stepFailureOf(error);
  return new MediaServiceError(code, message, facts, { cause: error });
}

function readLink(link: Error): StepFailure | undefined {
  if (link instanceof MediaServiceError) {
    return { code: link.code, message: link.message, facts: link.facts };
  }
  switch (link.name) {
    case 'ApplicationFailure':
      return readApplicationFailure(link);
    case 'CancelledFailure':
      return { code: 'Cancelled', message: 'The upload was cancelled.', facts: {} };
    case 'TerminatedFailure':
      return { code: 'Cancelled', message: 'The upload was terminated in Temporal.', facts: {} };
    case 'TimeoutFailure':
      return {
        code: 'Transport',
        message: 'The worker was lost, or the step took longer than its time-out.',
        facts: { outcome: 'ambiguous', details: { unanswered: true } },
      };
    default:
      return undefined;
  }
}

function readApplicationFailure(link: Error): StepFailure | undefined {
  if (!('type' in link) || !isErrorCode(link.type)) return undefined;
  const details: unknown = 'details' in link && Array.isArray(link.details) ? link.details[0] : undefined;
  // This package wrote the facts, which travel as JSON.
  return { code: link.type, message: link.message, facts: isRecord(details) ? { ...details } : {} };
}

function chainOf(error: unknown): Error[] {
  const chain: Error[] = [];
  let link: unknown = error;
  while (link instanceof Error && !chain.includes(link)) {
    chain.push(link);
    link = link.cause;
  }
  return chain;
}
