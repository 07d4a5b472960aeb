import { ConfigurationError, MediaServiceError } from '../../errors';
import { isJsonObject } from '../../json';
import type { JsonObject, JsonValue } from '../../json';
import { outlineOf } from '../../answers/read-answer';
import { urlEnd } from '../parts/url-life';
import type { PartUrl } from '../upload-steps';

export interface UrlsAnswer {
  /** In the interface's words, for errors. */
  readonly operation: string;
  /** The requested parts in the order of the request. URLs without a number belong to them in this order. */
  readonly partNumbers: readonly number[];
  /** The service's own address. If it is https, no part may use plain http. */
  readonly serviceUrl: string;
  readonly allowPlainHttp: boolean;
}

/** Names that only a pre-signed URL or a list of them has: `presignedUrl`, `signedUrls`, `uploadPresignedUrl`. */
const SIGNED_KEY = /^(upload|part|put)?(pre)?signed(upload|part|put)?ur[li]s?$/;
/** Names that other links may have too, such as one to the session. */
const GENERIC_KEYS: readonly string[] = ['uploadurl', 'parturl', 'url', 'href'];
const NUMBER_KEYS: readonly string[] = ['partnumber', 'partno', 'part', 'number'];
/** Parts of the request that the service may echo. URLs in them are the caller's data. */
const ECHOED_KEYS: readonly string[] = ['media', 'metadata', 'tags', 'fileurl'];
/** Hypermedia: links to further operations. */
const LINKS_KEY = '_links';

interface Found {
  readonly url: string;
  readonly partNumber?: number;
}

/**
 * Returns the pre-signed URLs in an answer, ascending by part number. It leaves out URLs of parts that were not
 * requested; a missing URL is not an error.
 *
 * It reads objects with `presignedUrl` (any case) at any depth, maps from part number to URL, and plain strings in
 * order. Only if nothing has such a name, it reads `url` and similar names. It then skips a URL next to an `uploadId`
 * without a part number.
 *
 * The part number comes from a field, else from the URL's `partNumber`, else from the order. Throws for two URLs for
 * one part, and for a plain-http URL if the service uses https.
 */
export function parsePresignedUrls(value: JsonValue, answer: UrlsAnswer): PartUrl<string>[] {
  const signed = collect(value, 'signed');
  const numbered = number(signed.length > 0 ? signed : collect(value, 'any'), answer);
  const byNumber = new Map<number, string>();
  for (const { partNumber, url } of numbered) {
    if (byNumber.has(partNumber))
      throw unreadable(answer, `two pre-signed URLs for part ${partNumber}`, value);
    if (!answer.partNumbers.includes(partNumber)) continue;
    refusePlainHttp(url, answer);
    byNumber.set(partNumber, url);
  }
  return [...byNumber]
    .sort(([one], [other]) => one - other)
    .map(([partNumber, url]) => {
      const expiresAt = urlEnd(url);
      return { partNumber, url, ...(expiresAt === undefined ? {} : { expiresAt }) };
    });
}

/** `signed`: only values whose name, or an outer name, is that of a pre-signed URL. */
type Names = 'signed' | 'any';

function collect(value: JsonValue, names: Names): Found[] {
  if (isUrl(value)) return names === 'any' ? [{ url: value }] : [];
  if (Array.isArray(value)) return value.flatMap((child) => collect(child, names));
  if (!isJsonObject(value)) return [];
  const own = ownUrl(value, names);
  if (own?.partNumber !== undefined) return [own];
  // Without a part number, an object's own URL may be that of the whole upload. So URLs inside the object come first.
  const inside = Object.entries(value).flatMap(([key, child]) => collectUnder(key, child, names));
  return own === undefined || inside.length > 0 ? inside : [own];
}

function collectUnder(key: string, child: JsonValue, names: Names): Found[] {
  if (key === LINKS_KEY || ECHOED_KEYS.includes(plain(key))) return [];
  if (/^\d+$/.test(key)) return collect(child, names).map((found) => ({ partNumber: Number(key), ...found }));
  // A string counts only in a list, under a part number or under a known name. `ownUrl` has looked for the known names.
  if (typeof child === 'string') return [];
  return collect(child, SIGNED_KEY.test(plain(key)) ? 'any' : names);
}

function ownUrl(object: JsonObject, names: Names): Found | undefined {
  const given = NUMBER_KEYS.map((name) => entryOf(object, name)).find((entry) => isWhole(entry));
  const ofWhole = given === undefined && entryOf(object, 'uploadid') !== undefined;
  const url = signedUrl(object) ?? (names === 'signed' || ofWhole ? undefined : genericUrl(object));
  if (url === undefined) return undefined;
  return given === undefined ? { url } : { url, partNumber: Number(given) };
}

function signedUrl(object: JsonObject): string | undefined {
  return Object.entries(object)
    .filter(([key]) => SIGNED_KEY.test(plain(key)))
    .map(([, value]) => value)
    .find(isUrl);
}

function genericUrl(object: JsonObject): string | undefined {
  return GENERIC_KEYS.map((name) => entryOf(object, name)).find(isUrl);
}

function entryOf(object: JsonObject, name: string): JsonValue | undefined {
  return Object.entries(object).find(([key]) => plain(key) === name)?.[1];
}

function plain(key: string): string {
  return key.toLowerCase().replace(/[^a-z0-9]/g, '');
}

function isUrl(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value);
}

function isWhole(value: JsonValue | undefined): boolean {
  return (
    (typeof value === 'number' && Number.isInteger(value)) ||
    (typeof value === 'string' && /^\d+$/.test(value))
  );
}

function number(found: readonly Found[], answer: UrlsAnswer): { partNumber: number; url: string }[] {
  return found.map(({ url, partNumber }, index) => {
    const chosen = partNumber ?? numberInQuery(url) ?? answer.partNumbers[index] ?? index + 1;
    if (chosen < 1) throw unreadable(answer, `a pre-signed URL for part ${chosen}`, null);
    return { url, partNumber: chosen };
  });
}

function numberInQuery(url: string): number | undefined {
  for (const [key, value] of new URL(url).searchParams) {
    if (key.toLowerCase() === 'partnumber' && /^\d+$/.test(value)) return Number(value);
  }
  return undefined;
}

function refusePlainHttp(url: string, { operation, serviceUrl, allowPlainHttp }: UrlsAnswer): void {
  if (allowPlainHttp || !serviceUrl.startsWith('https:') || url.toLowerCase().startsWith('https:')) return;
  throw new ConfigurationError(
    'allowPlainHttp',
    `${operation}: the service is on https, but its pre-signed URLs for ${new URL(url).host} are plain http`,
    {
      remedy: { kind: 'allow-plain-http' },
      hint: 'Nothing was sent there. Or ask the operator of the service for https storage addresses.',
    },
  );
}

function unreadable({ operation }: UrlsAnswer, what: string, value: JsonValue): MediaServiceError {
  const outline = value === null ? '' : ` in ${outlineOf(value)}`;
  return new MediaServiceError('UnreadableAnswer', `${operation}: the answer holds ${what}${outline}`, {
    operation,
    outcome: 'ambiguous',
    hint: 'Ask the operator of the service which form its pre-signed URLs have.',
    details: { repeatable: false },
  });
}
