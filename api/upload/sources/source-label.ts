/**
 * Returns scheme, host and last path segment of an address. Only this part of a source's URL is ever shown, logged or
 * stored unsealed. A text that is not a URL becomes `(no URL)`.
 */
export function labelOf(url: string): string {
  if (!URL.canParse(url)) return '(no URL)';
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}/${lastSegment(pathname)}`;
}

/** Returns the file name at the end of a URL's path, decoded. Undefined if the path ends in a slash. */
export function fileNameOfUrl(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const segment = lastSegment(new URL(url).pathname);
  if (segment === '') return undefined;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Returns what follows the last slash. */
export function lastSegment(pathname: string): string {
  return pathname.slice(pathname.lastIndexOf('/') + 1);
}
