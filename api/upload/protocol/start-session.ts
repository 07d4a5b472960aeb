import { randomUUID } from 'node:crypto';
import { errorWith, MediaServiceError, ValidationError, ConfigurationError } from '../../errors';
import { given, isJsonObject, textAt } from '../../json';
import type { JsonObject, JsonValue } from '../../json';
import { outlineOf, parseJson, unreadable } from '../../answers/read-answer';
import { isPathSegment } from '../../service/encoded';
import type { Service } from '../../service/service';
import type { StartedSession, StartInput, PartUrl } from '../types';
import { USE_HTTPS } from '../../account';

const OPERATION = 'upload start';
const MAX_DEPTH = 3;

/**
 * Starts an upload session with one POST that is sent once. The ingest key goes into the tag named by
 * `options.ingestTag`. api.md, "POST {upload_url}/upload/start".
 *
 * Rejects with:
 * - the service's refusal;
 * - `StartAmbiguous` if the answer was lost and a session may exist (`facts.details.ingestTag` says whether it can be
 *   searched for);
 * - `UnreadableAnswer` if the answer names no session, or if its pre-signed URLs can't be used. In the second case
 *   `facts.details.uploadId` names the new session.
 */
export async function startSession(
  service: Service,
  input: StartInput,
  options: { readonly signal?: AbortSignal } = {},
): Promise<StartedSession<string>> {
  try {
    const answer = await service.call({
      operation: OPERATION,
      method: 'POST',
      url: `${service.account.uploadUrl}/upload/start`,
      body: JSON.stringify(startBody(input, service.options.ingestTag)),
      idempotent: false,
      sendWithinMs: input.limitMs,
      signal: options.signal,
    });
    return readStarted(parseJson(OPERATION, answer), service, input);
  } catch (error) {
    throw startFailure(error, input, service);
  }
}

function startBody(
  { media, metadata, ingestKey, amountOfParts }: StartInput,
  ingestTag: string | false,
): JsonObject {
  if (ingestTag !== false && (media.tags?.[ingestTag] ?? ingestKey) !== ingestKey) {
    throw new ValidationError(
      `tags.${ingestTag}`,
      `the tag "${ingestTag}" carries the ingest key and can't be set to something else`,
      'Rename your tag, or set another name for the ingest-key tag.',
    );
  }
  const tags = { ...media.tags, ...(ingestTag === false ? {} : { [ingestTag]: ingestKey }) };
  const { insights, ...fields } = media;
  return {
    amountOfParts,
    media: {
      ...fields,
      ...(insights === undefined ? {} : { insights: { ...insights } }),
      ...(Object.keys(tags).length === 0 ? {} : { tags }),
    },
    ...given({ metadata }),
  };
}

function readStarted(
  value: JsonValue,
  service: Service,
  { amountOfParts }: StartInput,
): StartedSession<string> {
  const uploadId = findText(value, 'uploadId');
  if (uploadId === undefined) throw unfit(`expected an object with uploadId, got ${outlineOf(value)}`);
  if (!isPathSegment(uploadId)) throw unfit("the uploadId can't be part of an address");
  const mediaId = findText(value, 'mediaId');
  try {
    const urls = parsePresignedUrls(value, {
      operation: OPERATION,
      partNumbers: Array.from({ length: amountOfParts }, (_, index) => index + 1),
      serviceUrl: service.account.uploadUrl,
      allowPlainHttp: service.options.allowPlainHttp,
    });
    if (urls.length === 0 && service.options.additionalUrls === undefined) {
      throw unfit(`expected pre-signed URLs, got ${outlineOf(value)}`);
    }
    return { uploadId, urls, ...given({ mediaId }) };
  } catch (error) {
    throw naming(error, { uploadId, ...given({ mediaId }) });
  }
}

function findText(value: JsonValue, name: string, depth = MAX_DEPTH): string | undefined {
  if (!isJsonObject(value) || depth === 0) return undefined;
  const own = textAt(value, [name]);
  if (own !== undefined) return own;
  for (const child of Object.values(value)) {
    const found = findText(child, name, depth - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The service would answer the next start in the same way, so the start must not be repeated. */
function unfit(what: string): MediaServiceError {
  return unreadable(OPERATION, what, {
    hint: 'Check that the upload address is that of the Media Service.',
    details: { repeatable: false },
  });
}

function naming(error: unknown, ids: Readonly<Record<string, string>>): unknown {
  if (!(error instanceof MediaServiceError)) return error;
  const details = { ...error.facts.details, ...ids, repeatable: false };
  return errorWith(error, { outcome: 'ambiguous', details });
}

function startFailure(error: unknown, { amountOfParts }: StartInput, { options }: Service): unknown {
  if (!(error instanceof MediaServiceError)) return error;
  if (error.facts.details?.['repeatable'] === false) return error;
  if (error.outcome === 'ambiguous') return ambiguous(error, options.ingestTag !== false);
  if (error.code !== 'RequestRefused' || error.facts.status !== 400 || amountOfParts === 1) return error;
  const lower = `If the deployment takes fewer than ${amountOfParts} parts, lower {maxParts}.`;
  return errorWith(error, { hint: [lower, error.facts.hint].filter(Boolean).join(' ') });
}

function ambiguous(error: MediaServiceError, ingestTag: boolean): MediaServiceError {
  return new MediaServiceError(
    'StartAmbiguous',
    `${error.message}: the answer of upload start is not known, so an upload session may exist`,
    {
      ...error.facts,
      operation: OPERATION,
      outcome: 'ambiguous',
      hint: ingestTag
        ? 'Search media by the ingest-key tag before you start again.'
        : "The ingest-key tag is turned off, so a session that was made can't be found by search. Turn it on, or ask the operator of the service.",
      details: { ...error.facts.details, ingestTag },
    },
    { cause: error },
  );
}

const HOST_OPERATION = 'upload host';

/**
 * Resolves once the upload host shows that it serves requests. It asks for an upload session that does not exist, which
 * changes nothing there. Any answer but 408, 429 and 5xx counts. Rejects with
 * the failure: `Transport`, `ServiceFailed` and `RateLimited` may be temporary; `LoginRefused` means that the host
 * was not asked. api.md, "GET {upload_url}/upload/{uploadId}".
 */
export async function requireUploadHost(service: Service, signal?: AbortSignal): Promise<void> {
  try {
    await service.call({
      operation: HOST_OPERATION,
      method: 'GET',
      url: `${service.account.uploadUrl}/upload/${randomUUID()}`,
      idempotent: true,
      signal,
    });
  } catch (error) {
    const { operation, status = 0 } = error instanceof MediaServiceError ? error.facts : {};
    const isAnswer = status > 0 && status < 500 && status !== 408 && status !== 429;
    if (operation !== HOST_OPERATION || !isAnswer) throw error;
  }
}

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

/** Deeper values hold no URLs, and would overflow the stack. */
const MAX_LEVELS = 100;

function collect(value: JsonValue, partNumber?: number, levels = MAX_LEVELS): Found[] {
  if (levels === 0) return [];
  if (typeof value === 'string') return isUrl(value) ? [{ url: value, partNumber }] : [];
  if (Array.isArray(value)) return value.flatMap((child) => collect(child, partNumber, levels - 1));
  if (!isJsonObject(value)) return [];
  const own = wholeNumber(textAt(value, ['partNumber'])) ?? partNumber;
  return Object.entries(value).flatMap(([key, child]) => {
    const number = wholeNumber(key);
    if (number !== undefined) return collect(child, number, levels - 1);
    const isOther =
      typeof child === 'string' ? !/^pre_?signed_?urls?$/i.test(key) : ECHOED_KEYS.includes(key);
    return isOther ? [] : collect(child, own, levels - 1);
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
