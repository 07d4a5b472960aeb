import { given } from '../../json';
import { MediaServiceError } from '../../errors';
import type { ErrorCode, ErrorFacts } from '../../errors';
import { isRefusalOfGateway, requestId } from '../../answers/answer-error';
import { PAGE_HINT } from '../../answers/read-answer';
import { redact } from '../../answers/redact';
import { retryAfterMs } from '../../retry';
import { urlEnd } from './url-life';

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
const EXPIRED_CODES: readonly string[] = [
  'ExpiredToken',
  'TokenRefreshRequired',
  'RequestExpired',
  'ExpiredRequest',
];
const BUSY_CODES: readonly string[] = [
  'SlowDown',
  'ServiceUnavailable',
  'TooManyRequests',
  'RequestLimitExceeded',
];

/**
 * Makes the error for storage's answer to a part PUT, by S3's error code: `UrlExpired`, `SignatureMismatch`,
 * `SessionGone`, `StorageBusy` (with Retry-After), `ServiceFailed` (5xx), else `StorageRefused`.
 * `facts.details.storageCode` holds S3's code. Whether a refused URL has ended is judged by storage's clock, because its
 * words differ. No text of the error quotes a URL or a signature.
 */
export function storageErrorOf(answer: StorageAnswer): MediaServiceError {
  const { partNumber, status, headers, text, now } = answer;
  const storageCode = shownOf(tagOf(text, 'Code'), MAX_CODE);
  const said = tagOf(text, 'Message');
  const message = shownOf(said, MAX_MESSAGE);
  const isPage = isRefusalOfGateway(answer);
  const code = codeOf({ status, storageCode, message: said ?? '', hasEnded: !isPage && hasEnded(answer) });
  const wait = retryAfterMs(headers, now);
  const id = requestId(headers);
  const facts: ErrorFacts = {
    operation: `part ${partNumber}`,
    status,
    outcome: status >= 500 || status === 408 ? 'ambiguous' : 'refused',
    ...(message === undefined ? {} : { serviceMessage: message }),
    ...(id === undefined ? {} : { requestId: id }),
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
    ...given({ hint: isPage ? PAGE_HINT : HINTS[code] }),
    details: {
      partNumber,
      ...(storageCode === undefined ? {} : { storageCode }),
      ...(isPage ? { permanent: false } : {}),
    },
  };
  const what = [storageCode, message].filter((one) => one !== undefined).join(': ');
  return new MediaServiceError(
    code,
    `part ${partNumber}: storage answered ${status}${what === '' ? '' : ` (${what})`}`,
    facts,
  );
}

/** Returns whether another URL of the part may be accepted now. */
export function isRefusedUrl({ code, facts: { status, details } }: MediaServiceError): boolean {
  return code === 'StorageRefused' && details?.['permanent'] !== false && status === 403;
}

function hasEnded({ url, status, headers, now }: StorageAnswer): boolean {
  if (status !== 400 && status !== 403) return false;
  const date = Date.parse(headers['date'] ?? '');
  return (Number.isNaN(date) ? now : date) >= (urlEnd(url) ?? Infinity);
}

interface Verdict {
  readonly status: number;
  readonly storageCode: string | undefined;
  readonly message: string;
  readonly hasEnded: boolean;
}

function codeOf({ status, storageCode, message, hasEnded }: Verdict): ErrorCode {
  const is = (codes: readonly string[]): boolean => storageCode !== undefined && codes.includes(storageCode);
  // Some storages end a URL early, and say it only in the text of a 403.
  const isSaid = is(EXPIRED_CODES) || (status === 403 && /\bexpired\b/i.test(message));
  if (isSaid || hasEnded) return 'UrlExpired';
  if (status === 429 || status === 503 || is(BUSY_CODES)) return 'StorageBusy';
  if (is(['SignatureDoesNotMatch'])) return 'SignatureMismatch';
  if (is(['NoSuchUpload'])) return 'SessionGone';
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
