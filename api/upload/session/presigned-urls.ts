import { USE_HTTPS } from '../../account';
import { ConfigurationError } from '../../errors';
import type { MediaServiceError } from '../../errors';
import { isJsonObject, textAt } from '../../json';
import type { JsonValue } from '../../json';
import { outlineOf, unreadable } from '../../answers/read-answer';
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

/** Parts of the request that the service may echo. URLs in them are the caller's data. */
const ECHOED_KEYS: readonly string[] = ['media', 'metadata', 'tags'];

interface Found {
  readonly url: string;
  readonly partNumber: number | undefined;
}

/**
 * Returns the pre-signed URLs in an answer, ascending by part number. It leaves out URLs of parts that were not
 * requested; a missing URL is not an error.
 *
 * At any depth it reads fields named `presignedUrl` (any case), and plain URLs in lists and in maps from part number to
 * URL. The part number comes from `partNumber` or the map, else from the URL's `partNumber`, else from the order. Throws
 * for two URLs for one part, and for a plain-http URL if the service uses https.
 */
export function parsePresignedUrls(value: JsonValue, answer: UrlsAnswer): PartUrl<string>[] {
  const byNumber = new Map<number, string>();
  for (const [index, { url, partNumber }] of collect(value).entries()) {
    const number = partNumber ?? numberInQuery(url) ?? answer.partNumbers[index] ?? index + 1;
    if (number < 1) throw unusable(answer, `a pre-signed URL for part ${number}`, value);
    if (byNumber.has(number)) throw unusable(answer, `two pre-signed URLs for part ${number}`, value);
    if (!answer.partNumbers.includes(number)) continue;
    refusePlainHttp(url, answer);
    byNumber.set(number, url);
  }
  return [...byNumber]
    .sort(([one], [other]) => one - other)
    .map(([partNumber, url]) => ({ partNumber, url }));
}

function collect(value: JsonValue, partNumber?: number): Found[] {
  if (typeof value === 'string') return isUrl(value) ? [{ url: value, partNumber }] : [];
  if (Array.isArray(value)) return value.flatMap((child) => collect(child, partNumber));
  if (!isJsonObject(value)) return [];
  const own = wholeNumber(textAt(value, ['partNumber'])) ?? partNumber;
  return Object.entries(value).flatMap(([key, child]) => {
    const number = wholeNumber(key);
    if (number !== undefined) return collect(child, number);
    const isOther =
      typeof child === 'string' ? !/^pre_?signed_?urls?$/i.test(key) : ECHOED_KEYS.includes(key);
    return isOther ? [] : collect(child, own);
  });
}

function isUrl(value: string): boolean {
  return /^https?:\/\//i.test(value) && URL.canParse(value);
}

function wholeNumber(value: string | undefined): number | undefined {
  return value !== undefined && /^\d+$/.test(value) ? Number(value) : undefined;
}

function numberInQuery(url: string): number | undefined {
  const entries = [...new URL(url).searchParams];
  return wholeNumber(entries.find(([key]) => key.toLowerCase() === 'partnumber')?.[1]);
}

function refusePlainHttp(url: string, { operation, serviceUrl, allowPlainHttp }: UrlsAnswer): void {
  if (allowPlainHttp || !serviceUrl.startsWith('https:') || url.toLowerCase().startsWith('https:')) return;
  throw new ConfigurationError(
    'allowPlainHttp',
    `${operation}: the service is on https, but its pre-signed URLs for ${new URL(url).host} are plain http`,
    `Nothing was sent there. ${USE_HTTPS} Or ask the operator of the service for https storage addresses.`,
  );
}

function unusable({ operation }: UrlsAnswer, what: string, value: JsonValue): MediaServiceError {
  return unreadable(operation, `the answer holds ${what} in ${outlineOf(value)}`, {
    hint: 'Ask the operator of the service which form its pre-signed URLs have.',
    details: { repeatable: false },
  });
}
