/** "must not be older than 30 minutes" (api.md, Limits). */
const OLDEST_MS = 30 * 60_000;
/** The interface has no limit for timestamps in the future. Some skew is accepted. */
const FARTHEST_AHEAD_MS = 5 * 60_000;

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

type TimestampVerdict = 'fine' | 'malformed' | 'too old' | 'in the future';

export function judgeTimestamp(timestamp: string, now: number): TimestampVerdict {
  const at = readIsoWithZone(timestamp);
  if (at === undefined) return 'malformed';
  if (now - at > OLDEST_MS) return 'too old';
  return at - now > FARTHEST_AHEAD_MS ? 'in the future' : 'fine';
}
