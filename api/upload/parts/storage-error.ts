import type { Advice } from '../../advice';
import type { ErrorCode, ErrorFacts } from '../../errors';
import { MediaServiceError } from '../../errors';
import { isRefusalOfGateway, requestId } from '../../answers/answer-error';
import { PAGE_HINT } from '../../answers/read-answer';
import { redact } from '../../answers/redact';
import { retryAfterMs } from '../../retry/retry-after';

export interface StorageAnswer {
  readonly partNumber: number;
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
 * `SessionGone`, `StorageBusy` (with Retry-After), `PartCorrupted`, `ServiceFailed` (5xx), else `StorageRefused`.
 * `facts.details.storageCode` holds S3's code. No text of the error quotes a URL or a signature.
 */
export function storageErrorOf(answer: StorageAnswer): MediaServiceError {
  const { partNumber, status, headers, text, now } = answer;
  const storageCode = shownOf(tagOf(text, 'Code'), MAX_CODE);
  const said = tagOf(text, 'Message');
  const message = shownOf(said, MAX_MESSAGE);
  const code = codeOf(status, storageCode, said ?? '');
  const wait = retryAfterMs(headers, now);
  const id = requestId(headers);
  const ofGateway = isRefusalOfGateway(answer);
  const facts: ErrorFacts = {
    operation: `part ${partNumber}`,
    status,
    outcome: status >= 500 || status === 408 ? 'ambiguous' : 'refused',
    ...(message === undefined ? {} : { serviceMessage: message }),
    ...(id === undefined ? {} : { requestId: id }),
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
    ...(ofGateway ? { hint: PAGE_HINT } : ADVICE[code]),
    details: {
      partNumber,
      ...(storageCode === undefined ? {} : { storageCode }),
      ...(ofGateway ? { permanent: false } : {}),
    },
  };
  const what = [storageCode, message].filter((one) => one !== undefined).join(': ');
  return new MediaServiceError(
    code,
    `part ${partNumber}: storage answered ${status}${what === '' ? '' : ` (${what})`}`,
    facts,
  );
}

function codeOf(status: number, storageCode: string | undefined, message: string): ErrorCode {
  const is = (codes: readonly string[]): boolean => storageCode !== undefined && codes.includes(storageCode);
  // Some storages say it only in the text of a 403.
  if (is(EXPIRED_CODES) || (status === 403 && /\bexpired\b/i.test(message))) return 'UrlExpired';
  if (status === 429 || status === 503 || is(BUSY_CODES)) return 'StorageBusy';
  if (is(['SignatureDoesNotMatch'])) return 'SignatureMismatch';
  if (is(['NoSuchUpload'])) return 'SessionGone';
  if (is(['BadDigest', 'XAmzContentSHA256Mismatch'])) return 'PartCorrupted';
  if (status === 408 || is(['RequestTimeout', 'IncompleteBody'])) return 'Transport';
  return status >= 500 ? 'ServiceFailed' : 'StorageRefused';
}

const ADVICE: Readonly<Partial<Record<ErrorCode, Advice>>> = {
  SignatureMismatch: { remedy: { kind: 'set-part-content-type' } },
  SessionGone: { hint: 'The multipart upload was completed, aborted or removed, so its parts are lost.' },
  StorageBusy: { remedy: { kind: 'send-fewer-parts' } },
  StorageRefused: { hint: "Give the operator of the service storage's error code and the request id." },
};

function shownOf(said: string | undefined, maxCharacters: number): string | undefined {
  return said === undefined ? undefined : redact(said).slice(0, maxCharacters);
}

const TAGS = { Code: /<Code>([^<]*)<\/Code>/i, Message: /<Message>([^<]*)<\/Message>/i } as const;

function tagOf(xml: string, tag: keyof typeof TAGS): string | undefined {
  const text = TAGS[tag]
    .exec(xml)?.[1]
    ?.replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  return text === undefined || text === '' ? undefined : text;
}
