import { MediaServiceError, TransportError } from '../errors';
import type { Outcome } from '../errors';

/** The same error with the operation that it met, in the interface's words; errors that name one already, and foreign ones, stay. */
export function nameOperation(error: unknown, operation: string): unknown {
  if (!(error instanceof MediaServiceError) || error.facts.operation !== undefined) return error;
  const message = `${operation}: ${error.message}`;
  const facts = { ...error.facts, operation };
  const options = { cause: error.cause };
  if (!(error instanceof TransportError)) return new MediaServiceError(error.code, message, facts, options);
  const outcome: Outcome = error.outcome;
  return new TransportError(message, { ...facts, outcome }, options);
}
