import { given } from '../../json';
import type { ErrorCode, ErrorFacts, MediaServiceError } from '../../errors';
import { partError } from './part-body';
import { isRefusalOfGateway, requestId } from '../../answers/answer-error';
import { PAGE_HINT } from '../../answers/read-answer';
import { redact } from '../../answers/redact';
import { MAX_RETRY_AFTER_MS, retryAfterMs } from '../../retry';

export interface StorageAnswer {
  readonly partNumber: number;
  /** Of the part, unsealed. */
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The answer's first bytes as text. S3's errors are XML. */
  readonly text: string;
  /** Epoch ms. */
  readonly now: number;
}

const MAX_MESSAGE = 300;
/** S3's own codes are shorter. A broken answer may hold anything there, such as a signature. */
const MAX_CODE = 100;
const EXPIRED_CODES = ['ExpiredToken', 'TokenRefreshRequired', 'RequestExpired', 'ExpiredRequest'];
const BUSY_CODES = ['SlowDown', 'ServiceUnavailable', 'TooManyRequests', 'RequestLimitExceeded'];

/**
 * Makes the error for storage's answer to a part PUT, by S3's error code: `UrlExpired`, `SignatureMismatch`,
 * `SessionGone`, `StorageBusy` (with Retry-After), `PartCorrupted`, `ServiceFailed` (5xx), else `StorageRefused`.
 * `facts.details.storageCode` holds S3's code, `details.demands` what the URL's signature covers and no part can meet.
 * Whether a refused URL has ended or not yet begun is judged by storage's clock, because its words differ. No text of
 * the error quotes a URL or a signature.
 */
export function storageErrorOf(answer: StorageAnswer): MediaServiceError {
  const { partNumber, status, headers, text, now } = answer;
  const storageCode = shownOf(tagOf(text, 'Code'), MAX_CODE);
  const said = tagOf(text, 'Message');
  const message = shownOf(said, MAX_MESSAGE);
  const refusal = refusalOf(answer, storageCode);
  const code = codeOf(status, { storageCode, message: said ?? '' }, refusal);
  const wait = retryAfterMs(headers, now) ?? refusal.beginsInMs;
  const known = [storageCode, message].filter((one) => one !== undefined).join(': ');
  return partError(code, partNumber, {
    what: `storage answered ${status}${known === '' ? '' : ` (${known})`}`,
    status,
    outcome: status >= 500 || status === 408 ? 'ambiguous' : 'refused',
    ...given({ serviceMessage: message, requestId: requestId(headers) }),
    ...given({ retryAfterMs: wait, hint: refusal.hint ?? HINTS[code] }),
    details: { partNumber, ...given({ storageCode }), ...refusal.details },
  });
}

/** Returns whether another URL of the part may be accepted now. */
export function isRefusedUrl({ code, facts: { status, details } }: MediaServiceError): boolean {
  if (code !== 'StorageRefused' || details?.['permanent'] === false) return false;
  return status === 403 || details?.['demands'] !== undefined;
}

interface Refusal {
  readonly hasEnded?: boolean;
  readonly beginsInMs?: number;
  readonly hint?: string;
  readonly details?: NonNullable<ErrorFacts['details']>;
}

/** Codes that fit more than one cause. */
const VAGUE: readonly (string | undefined)[] = [undefined, 'AccessDenied'];
const EARLY: typeof VAGUE = [...VAGUE, 'RequestTimeTooSkewed'];
const OTHER_BODY: typeof VAGUE = ['BadDigest', 'XAmzContentSHA256Mismatch', 'XAmzContentChecksumMismatch'];
const BODY_IS_FIXED: typeof VAGUE = [...VAGUE, ...OTHER_BODY, 'InvalidDigest', 'InvalidRequest'];
/** Amazon's and Google's. */
const LACKS_HEADER: typeof VAGUE = [...VAGUE, 'SignatureDoesNotMatch', 'MalformedSecurityHeader'];

/** Explains a refusal by the URL, where S3's code allows it, and by who gave it. Empty: only S3's code explains it. */
function refusalOf(answer: StorageAnswer, storageCode: string | undefined): Refusal {
  const { url, status, headers, now } = answer;
  if (isRefusalOfGateway(answer)) return { hint: PAGE_HINT, details: { permanent: false } };
  if (status !== 400 && status !== 403) return {};
  const date = Date.parse(headers['date'] ?? '');
  const storageNow = Number.isNaN(date) ? now : date;
  if (storageNow >= (urlEnd(url) ?? Infinity)) return { hasEnded: true };
  const beginsInMs = Math.min(MAX_RETRY_AFTER_MS, (urlBegin(url) ?? 0) - storageNow);
  if (beginsInMs > 0 && EARLY.includes(storageCode)) {
    const hint = "The URL begins in the future by storage's clock: the clocks of service and storage differ.";
    return { beginsInMs, hint, details: { permanent: false } };
  }
  const demands = [
    ...(BODY_IS_FIXED.includes(storageCode) ? fixedOfBody(url) : []),
    ...(LACKS_HEADER.includes(storageCode) ? unsentHeaders(url) : []),
  ].join(', ');
  if (demands === '') return {};
  const hint = `The URL's signature covers ${demands}, which no part can meet: ask the operator of the service to sign it without.`;
  return { hint, details: { demands } };
}

function codeOf(
  status: number,
  { storageCode, message }: { readonly storageCode: string | undefined; readonly message: string },
  refusal: Refusal,
): ErrorCode {
  const is = (codes: readonly string[]): boolean => storageCode !== undefined && codes.includes(storageCode);
  // Some storages end a URL early, and say it only in the text of a 403.
  const isSaid = is(EXPIRED_CODES) || (status === 403 && /\bexpired\b/i.test(message));
  if (isSaid || refusal.hasEnded === true) return 'UrlExpired';
  if (refusal.beginsInMs !== undefined) return 'StorageRefused';
  if (status === 429 || status === 503 || is(BUSY_CODES)) return 'StorageBusy';
  if (is(['SignatureDoesNotMatch'])) return 'SignatureMismatch';
  if (is(['NoSuchUpload'])) return 'SessionGone';
  if (OTHER_BODY.includes(storageCode))
    return refusal.details?.['demands'] === undefined ? 'PartCorrupted' : 'StorageRefused';
  if (status === 408 || is(['RequestTimeout', 'IncompleteBody'])) return 'Transport';
  return status >= 500 ? 'ServiceFailed' : 'StorageRefused';
}

const HINTS: Readonly<Partial<Record<ErrorCode, string>>> = {
  SignatureMismatch:
    "The headers of the part are not those that the URL was signed for. Ask the operator of the service for the Content-Type, and set {partContentType}. Otherwise a proxy changes headers, this machine's or the service's clock is wrong, or the secret key behind the URL changed.",
  SessionGone: 'The multipart upload was completed, aborted or removed, so its parts are lost.',
  StorageBusy: 'The part is retried. If this continues, lower {concurrency}.',
  StorageRefused: "Give the operator of the service storage's error code and the request id.",
};

function shownOf(said: string | undefined, maxCharacters: number): string | undefined {
  return said === undefined ? undefined : redact(said).slice(0, maxCharacters);
}

const TAGS = { Code: /<Code>([^<]*)<\/Code>/i, Message: /<Message>([^<]*)<\/Message>/i } as const;

function tagOf(xml: string, tag: keyof typeof TAGS): string | undefined {
  const text = TAGS[tag]
    .exec(xml)?.[1]
    ?.replace(/&(#\d+|#x[\da-f]+|\w+);/gi, decoded)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  return text === undefined || text === '' ? undefined : text;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decoded(entity: string, name: string): string {
  if (!name.startsWith('#')) return ENTITIES[name] ?? entity;
  const code = Number(name.replace('#', '').replace(/^x/i, '0x'));
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : entity;
}

/** What storage's ETag says about the sent bytes. */
type ETagVerdict = 'verified' | 'not-verifiable' | 'mismatch';

interface ETagCheck {
  /** Unquoted. */
  readonly eTag: string;
  /** Hex; undefined: not computed. */
  readonly md5: string | undefined;
  /** Headers of storage's answer, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Compares the MD5 of the sent bytes with the ETag. An ETag is not an MD5 if it is not 32 hex digits, or under SSE-KMS or
 * with a customer's key. Such an ETag can't be verified, which is not a failure.
 */
export function checkETag({ eTag, md5, headers }: ETagCheck): ETagVerdict {
  if (md5 === undefined || !/^[0-9a-f]{32}$/i.test(eTag)) return 'not-verifiable';
  if (eTag.toLowerCase() === md5.toLowerCase()) return 'verified';
  const encryption = headers['x-amz-server-side-encryption'] ?? '';
  const ownKey = headers['x-amz-server-side-encryption-customer-algorithm'] !== undefined;
  return encryption.toLowerCase().startsWith('aws:kms') || ownKey ? 'not-verifiable' : 'mismatch';
}

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
  const iso = text?.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z');
  return iso === undefined || iso === text ? undefined : Date.parse(iso);
}

function seconds(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) * 1000 : undefined;
}
