const ISO_WITH_ZONE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}([.,]\d{1,9})?)?(Z|[+-]\d{2}(:?\d{2})?)$/;

/** Epoch ms, or undefined if the text is not an ISO 8601 date-time with a zone. */
export function readIsoWithZone(text: string): number | undefined {
  if (!ISO_WITH_ZONE.test(text)) return undefined;
  const normal = text
    .replace(',', '.')
    .replace(/([+-]\d{2})$/, '$1:00')
    .replace(/([+-]\d{2})(\d{2})$/, '$1:$2');
  const ms = Date.parse(normal);
  return Number.isNaN(ms) ? undefined : ms;
}
