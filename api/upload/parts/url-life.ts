/**
 * Returns when a pre-signed URL expires, epoch ms: X-Amz-Date with X-Amz-Expires, the same of Google, or Expires (epoch
 * seconds or an ISO time). Undefined if the URL does not say it.
 */
export function urlEnd(url: string): number | undefined {
  const query = lowerCaseQuery(url);
  const signedAt = amzTime(signing(query, 'date'));
  const life = seconds(signing(query, 'expires'));
  if (signedAt !== undefined && life !== undefined) return signedAt + life;
  const expires = query.get('expires');
  if (expires === undefined) return undefined;
  const end = seconds(expires) ?? Date.parse(expires);
  return Number.isNaN(end) ? undefined : end;
}

/** Whether the URL's signature covers the Content-Type header. */
export function signsContentType(url: string): boolean {
  const signed = signing(lowerCaseQuery(url), 'signedheaders') ?? '';
  return signed.toLowerCase().split(';').includes('content-type');
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
