import { ValidationError } from '../errors';

/** What no address can hold: half of a surrogate pair. */
const NO_UNICODE = /\p{Surrogate}/u;

/**
 * A text as one segment of a path. Throws a `ValidationError` that names the field for an empty text, for `.` and `..`, which lead to another path, and as
 * `encoded`.
 */
export function pathSegment(field: string, text: string): string {
  if (!isPathSegment(text))
    throw new ValidationError(
      field,
      `"${field}" can't be part of an address`,
      'Use the id that the service gave.',
    );
  return encodeURIComponent(text);
}

export function isPathSegment(text: string): boolean {
  return text.trim() !== '' && text !== '.' && text !== '..' && !NO_UNICODE.test(text);
}

/** A text as a name or value of a query. Throws a `ValidationError` that names the field for a text that is not valid Unicode. */
export function encoded(field: string, text: string): string {
  if (NO_UNICODE.test(text)) throw new ValidationError(field, `"${field}" isn't valid Unicode`);
  return encodeURIComponent(text);
}
