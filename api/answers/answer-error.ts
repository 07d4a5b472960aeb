import { MediaServiceError } from '../errors';
import type { ErrorCode, ErrorFacts, Outcome } from '../errors';
import { given, isJsonObject } from '../json';
import { isOwnAnswer, PAGE_HINT, remoteText } from './read-answer';
import type { ServiceAnswer } from './read-answer';
import { redact } from './redact';
import { retryAfterMs } from '../retry';

const MESSAGE_FIELDS = ['message', 'detail', 'error_description', 'description', 'title', 'error', 'reason'];
const REQUEST_ID_HEADERS = [
  'x-request-id',
  'x-correlation-id',
  'x-amz-request-id',
  'x-amzn-requestid',
  'cf-ray',
];

/**
 * Makes the error for an answer other than 2xx. It holds the status, the service's own message, the request id and the
 * advice. The message has at most 500 characters and is redacted; `secrets` are removed from it. api.md, "Errors".
 */
export function errorOfAnswer(
  operation: string,
  answer: ServiceAnswer,
  context: { now?: number; secrets?: readonly string[] } = {},
): MediaServiceError {
  const { status, headers } = answer;
  const raw = rawMessage(answer);
  const message = raw === undefined ? undefined : remoteText(raw, context.secrets);
  const wait = retryAfterMs(headers, context.now ?? Date.now());
  const facts: ErrorFacts = {
    operation,
    status,
    outcome: outcomeOf(status),
    ...given({
      serviceMessage: message,
      requestId: requestId(headers),
      retryAfterMs: wait,
      hint: hintOf(operation, answer),
    }),
    // The next answer may be another one. A conflict may end, too.
    ...(status === 409 || isPage(answer) ? { details: { passing: true } } : {}),
  };
  const said = message === undefined ? '' : `: ${message}`;
  return new MediaServiceError(codeOf(status, wait), `${operation} failed (${status})${said}`, facts);
}

export function requestId(headers: Readonly<Record<string, string>>): string | undefined {
  const id = REQUEST_ID_HEADERS.map((name) => headers[name] ?? '').find((value) => value !== '');
  return id && redact(id).slice(0, 100);
}

function codeOf(status: number, wait: number | undefined): ErrorCode {
  if (status === 401) return 'Unauthorized';
  if (status === 429 || (status === 503 && wait !== undefined)) return 'RateLimited';
  if (status >= 500) return 'ServiceFailed';
  return status >= 300 ? 'RequestRefused' : 'UnreadableAnswer';
}

/** Statuses with which a gateway without a route answers, as the service does for an unknown id. */
const GATEWAY_STATUSES: ReadonlySet<number> = new Set([400, 404, 409, 410]);

/** Returns whether a gateway refused, in place of the service or of storage. */
export function isRefusalOfGateway(answer: ServiceAnswer): boolean {
  return GATEWAY_STATUSES.has(answer.status) && !isOwnAnswer(answer);
}

function isPage(answer: ServiceAnswer): boolean {
  return answer.status >= 400 && answer.status < 500 && !isOwnAnswer(answer);
}

function outcomeOf(status: number): Outcome {
  return status >= 300 && status < 500 && status !== 408 ? 'refused' : 'ambiguous';
}

/** Advice for a request that an operation refused. */
const REFUSED: Readonly<Record<string, string>> = {
  'additional pre-signed URLs':
    'Check the form of this request in the account, and ask the operator of the service for it.',
  'media search': 'Check the filters, and whether the service sorts by this property.',
  'upload complete': 'Check the form of the complete body in the account, then upload again.',
  'upload session status': "Use the upload ID from the upload's output, not the media ID.",
  'upload start': 'Check the media fields, the tags and the metadata.',
  'webhook search': 'Check the period and the filters.',
};

/** Advice for a status, whatever the operation. That of the code says what is missing here. */
const BY_STATUS: Readonly<Record<number, string>> = {
  401: 'The access token was not accepted. Check that the account may use this operation.',
  403: 'The account may not do this, or a firewall refuses it: ask the operator of the service.',
  404: 'Check the address, and the id if there is one: the addresses of the account are given without the path of an operation, such as /api/login.',
  407: 'A proxy asks for credentials.',
  408: 'The service waited too long for the request: check the network, then try again.',
  413: 'The request is too large for the service or for a proxy in front of it.',
  429: 'Too many requests: send fewer at once, or wait.',
  431: 'The token is too long for the service or for a proxy in front of it: ask its operator to accept longer headers.',
};

function hintOf(operation: string, answer: ServiceAnswer): string | undefined {
  const { status, headers } = answer;
  if (isPage(answer)) return PAGE_HINT;
  if (status === 400 || status === 422) return REFUSED[operation];
  if (status >= 300 && status < 400) {
    const target = redact(headers['location'] ?? 'another address').slice(0, 200);
    return `The address redirects to ${target}, and redirects are not followed: set the final address in the account.`;
  }
  if (status >= 500)
    return 'The service has a problem: try again later, and give its operator the request id.';
  return BY_STATUS[status];
}

function rawMessage(answer: ServiceAnswer): string | undefined {
  if (!isOwnAnswer(answer)) return /<title[^<>]*>([^<]*)<\/title>/i.exec(answer.text)?.[1];
  try {
    return messageIn(JSON.parse(answer.text), 3);
  } catch {
    // Plain text is a message. Cut-off JSON or XML is a raw body and stays out.
    return /^\s*[[{<]/.test(answer.text) ? undefined : answer.text;
  }
}

function messageIn(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return value;
  if (depth === 0) return undefined;
  if (Array.isArray(value)) return messageIn(value[0], depth - 1);
  if (!isJsonObject(value)) return undefined;
  for (const field of MESSAGE_FIELDS) {
    const found = messageIn(value[field], depth - 1);
    if (found !== undefined && found !== '') return found;
  }
  return messageIn(value['errors'], depth - 1);
}

/**
 * Returns the same error with the operation's name added, in the interface's words. Errors that name an operation
 * already, and errors that are not ours, stay as they are.
 */
export function nameOperation(error: unknown, operation: string): unknown {
  if (!(error instanceof MediaServiceError) || error.facts.operation !== undefined) return error;
  const facts = { ...error.facts, operation };
  return new MediaServiceError(error.code, `${operation}: ${error.message}`, facts, { cause: error.cause });
}
