import { ValidationError } from '../../api/errors';
import { jsonBytes } from '../../api/upload/request/json-size';

interface InputLimit {
  readonly max: number;
  /** What it is called in the error: a plural, as `The rows`. */
  readonly what: string;
  readonly field: string;
  readonly hint: string;
}

/**
 * Throws a `ValidationError` when the value has more bytes of JSON than it may. To be asked with what is sent: http addresses are sealed, which makes
 * them a third larger, and short ones several times. Temporal takes no payload above 2 MB; its codec adds some hundred bytes.
 */
export function refuseLargeInput(sent: unknown, { max, what, field, hint }: InputLimit): void {
  const bytes = jsonBytes(sent);
  if (bytes <= max) return;
  throw new ValidationError(
    field,
    `${what} have ${bytes} bytes as they are sent, with sealed addresses; through Temporal at most ${max} can be sent.`,
    hint,
  );
}
