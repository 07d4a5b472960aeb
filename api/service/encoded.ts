import { ValidationError } from '../errors';

/** Half of a surrogate pair, which no address can contain. */
const NO_UNICODE = /\p{Surrogate}/u;

/**
 * Encodes a text as one segment of a path. Throws a `ValidationError` that names the field for an empty text. It does
 * the same for `.` and `..`, which lead to another path, and throws as `encoded` does.
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

/**
 * Encodes a text as a name or value of a query. Throws a `ValidationError` that names the field if the text is not
 * valid Unicode.
 */
export function encoded(field: string, text: string): string {
  if (NO_UNICODE.test(text)) throw new ValidationError(field, `"${field}" isn't valid Unicode`);
  return encodeURIComponent(text);
}

export type QueryEntry = readonly [name: string, value: string | number | undefined];

/**
 * Returns `?a=1&b=2`, percent-encoded (a space as %20), in the given order, without undefined values. An empty query is
 * ''. Throws as `encoded` does.
 */
export function queryString(entries: readonly QueryEntry[]): string {
  const parts = entries.flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encoded(name, String(value))}`],
  );
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}
