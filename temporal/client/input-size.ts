import { ValidationError } from '../../api/errors';
import { jsonBytes } from '../../api/upload/request/json-size';

interface InputLimit {
  readonly max: number;
  /** The name of the value in the error: a plural, as `The rows`. */
  readonly what: string;
  readonly field: string;
  readonly hint: string;
}

/**
 * Throws a `ValidationError` if the value has more bytes of JSON than `max`. Call it with the value that is sent:
 * sealing makes http URLs a third longer, and short ones several times longer. Temporal accepts no payload above 2 MB,
 * and its codec adds some hundred bytes.
 */
export function refuseLargeInput(sent: unknown, { max, what, field, hint }: InputLimit): void {
  const bytes = jsonBytes(sent);
  if (bytes <= max) return;
  throw new ValidationError(
    field,
    `${what} have ${bytes} bytes as they are sent, with sealed addresses; at most ${max} can be sent through Temporal.`,
    hint,
  );
}
