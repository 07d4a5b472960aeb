/** Time kept free before a URL's end, ms: clocks differ, and storage reads the URL when the request arrives. */
const MARGIN_MS = 5_000;

/**
 * When a pre-signed URL ends, epoch ms: X-Amz-Date with X-Amz-Expires, or Expires (epoch seconds, or an ISO time). Undefined where
 * the URL does not tell.
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

/** How long a pre-signed URL lives from its signing, ms; undefined where it does not tell. */
export function urlLife(url: string): number | undefined {
  return seconds(lowerCaseQuery(url).get('x-amz-expires'));
}

/** Whether the URL's signature covers the Content-Type header. */
export function signsContentType(url: string): boolean {
  const signed = lowerCaseQuery(url).get('x-amz-signedheaders') ?? '';
  return signed.toLowerCase().split(';').includes('content-type');
}

export interface UrlNeed {
  /** Epoch ms; undefined: not known. */
  readonly expiresAt: number | undefined;
  readonly now: number;
  readonly bytes: number;
  /** Rate seen so far; undefined: none yet. */
  readonly bytesPerSecond: number | undefined;
}

/** Whether a part that begins now could not end before its URL does. A URL that tells no end lasts. */
export function endsTooSoon({ expiresAt, now, ...need }: UrlNeed): boolean {
  return expiresAt !== undefined && now + neededMs(need) + MARGIN_MS > expiresAt;
}

/** How long a part takes at the rate seen so far, ms; 0 where no rate was seen. */
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
