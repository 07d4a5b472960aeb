/** Time kept free before a URL expires, ms: clocks differ, and storage checks the URL when the request arrives. */
const MARGIN_MS = 5_000;

/**
 * Returns when a pre-signed URL expires, epoch ms: X-Amz-Date with X-Amz-Expires, or Expires (epoch seconds or an ISO
 * time). Undefined if the URL does not say it.
 */
export function urlEnd(url: string): number | undefined {
  const query = lowerCaseQuery(url);
  const signedAt = amzTime(query.get('x-amz-date'));
  const life = seconds(query.get('x-amz-expires'));
  if (signedAt !== undefined && life !== undefined) return signedAt + life;
  const expires = query.get('expires');
  if (expires === undefined) return undefined;
  const end = seconds(expires) ?? Date.parse(expires);
  return Number.isNaN(end) ? undefined : end;
}

/** Returns how long a pre-signed URL is valid from its signing, ms. Undefined if the URL does not say it. */
export function urlLife(url: string): number | undefined {
  return seconds(lowerCaseQuery(url).get('x-amz-expires'));
}

/** Whether the URL's signature covers the Content-Type header. */
export function signsContentType(url: string): boolean {
  const signed = lowerCaseQuery(url).get('x-amz-signedheaders') ?? '';
  return signed.toLowerCase().split(';').includes('content-type');
}

interface UrlNeed {
  /** Epoch ms. Undefined: unknown. */
  readonly expiresAt: number | undefined;
  readonly now: number;
  readonly bytes: number;
  /** Rate measured so far. Undefined: none yet. */
  readonly bytesPerSecond: number | undefined;
}

/** Returns whether a part that begins now would outlast its URL. A URL without a known end does not expire. */
export function endsTooSoon({ expiresAt, now, ...need }: UrlNeed): boolean {
  return expiresAt !== undefined && now + neededMs(need) + MARGIN_MS > expiresAt;
}

/** Returns how long a part takes at the measured rate, ms; 0 without a rate. */
export function neededMs({ bytes, bytesPerSecond }: Pick<UrlNeed, 'bytes' | 'bytesPerSecond'>): number {
  return bytesPerSecond === undefined || bytesPerSecond <= 0 ? 0 : Math.ceil((bytes / bytesPerSecond) * 1000);
}

function lowerCaseQuery(url: string): ReadonlyMap<string, string> {
  if (!URL.canParse(url)) return new Map();
  return new Map([...new URL(url).searchParams].map(([key, value]) => [key.toLowerCase(), value]));
}

/** `20261121T120000Z` */
function amzTime(text: string | undefined): number | undefined {
  const match = text?.match(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second] = match;
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

function seconds(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) * 1000 : undefined;
}
