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
  const life = seconds(signing(query, 'expires'));
  if (signedAt !== undefined && life !== undefined) return signedAt + life;
  const expires = query.get('expires');
  if (expires === undefined) return undefined;
  const end = seconds(expires) ?? Date.parse(expires);
  return Number.isNaN(end) ? undefined : end;
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
