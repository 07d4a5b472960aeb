import { MediaServiceError, TransportError } from '../errors';
import type { Outcome } from '../errors';

/**
 * Returns the same error with the operation's name added, in the interface's words. Errors that name an operation
 * already, and errors that are not ours, stay as they are.
 */
export function nameOperation(error: unknown, operation: string): unknown {
  if (!(error instanceof MediaServiceError) || error.facts.operation !== undefined) return error;
  const message = `${operation}: ${error.message}`;
  const facts = { ...error.facts, operation };
  const options = { cause: error.cause };
  if (!(error instanceof TransportError)) return new MediaServiceError(error.code, message, facts, options);
  const outcome: Outcome = error.outcome;
  return new TransportError(message, { ...facts, outcome }, options);
}
