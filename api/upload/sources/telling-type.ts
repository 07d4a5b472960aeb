/**
 * Returns the MIME type of a Content-Type header, without its parameters. Undefined if it is missing or only says
 * "bytes of some kind".
 */
export function tellingType(header: string | undefined): string | undefined {
  const type = header?.split(';')[0]?.trim().toLowerCase();
  return type === undefined || type === '' || type.endsWith('/octet-stream') ? undefined : type;
}
