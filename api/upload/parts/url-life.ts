/** Time kept free before a URL expires, ms: clocks differ, and storage checks the URL when the request arrives. */
const MARGIN_MS = 5_000;

/** Returns when a pre-signed URL begins, epoch ms: X-Amz-Date or X-Goog-Date. Undefined if the URL does not say it. */
export function urlBegin(url: string): number | undefined {
  return amzTime(signing(lowerCaseQuery(url), 'date'));
}

/**
 * Returns when a pre-signed URL expires, epoch ms: its begin with X-Amz-Expires or X-Goog-Expires, or Expires (epoch
 * seconds or an ISO time). Undefined if the URL does not say it.
 */
export function urlEnd(url: string): number | undefined {
  const query = lowerCaseQuery(url);
  const signedAt = urlBegin(url);
  const life = urlLife(url);
  if (signedAt !== undefined && life !== undefined) return signedAt + life;
  const expires = query.get('expires');
  if (expires === undefined) return undefined;
  const end = seconds(expires) ?? Date.parse(expires);
  return Number.isNaN(end) ? undefined : end;
}

/** Returns how long a pre-signed URL is valid from its signing, ms. Undefined if the URL does not say it. */
export function urlLife(url: string): number | undefined {
  return seconds(signing(lowerCaseQuery(url), 'expires'));
}

/** Whether the URL's signature covers the Content-Type header. */
export function signsContentType(url: string): boolean {
  return signedHeaders(url).includes('content-type');
}

/** Headers that every part has. */
const SENT_HEADERS: readonly string[] = ['host', 'content-type', 'content-length'];
/** Parameters that fix what the body is. Nobody knows it when a URL is signed. */
const FIXES_BODY = /^(x-amz-checksum-(?!algorithm|mode|type)|content-md5$)/;

/** Returns names of signed parameters that fix the body: no part can have it. */
export function fixedOfBody(url: string): readonly string[] {
  const query = lowerCaseQuery(url);
  const hash = query.get('x-amz-content-sha256') ?? 'UNSIGNED-PAYLOAD';
  return [
    ...[...query.keys()].filter((name) => FIXES_BODY.test(name)),
    ...(/^[0-9a-f]{64}$/i.test(hash) ? ['x-amz-content-sha256'] : []),
  ];
}

/** Returns names of signed headers that no part has. */
export function unsentHeaders(url: string): readonly string[] {
  return signedHeaders(url).filter((name) => !SENT_HEADERS.includes(name));
}

function signedHeaders(url: string): readonly string[] {
  return (signing(lowerCaseQuery(url), 'signedheaders') ?? '').toLowerCase().split(';').filter(Boolean);
}

/** A parameter of the signature, as Amazon or Google names it. */
function signing(query: ReadonlyMap<string, string>, name: string): string | undefined {
  return query.get(`x-amz-${name}`) ?? query.get(`x-goog-${name}`);
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
