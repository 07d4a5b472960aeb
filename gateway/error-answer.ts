import { hintOf, shownAdvice as inWords, TYPESCRIPT_NAMES, whatToDo } from '../api/advice';
import type { DoorNames } from '../api/advice';
import { redact } from '../api/answers/redact';
import { MediaServiceError } from '../api/errors';
import type { ErrorCode, ErrorFacts } from '../api/errors';
import { given, isRecord } from '../api/json';
import type { FastifyError, FastifySchemaValidationError } from 'fastify';
import { problemOfNumber } from '../api/options/option';
import { optionNamed } from './schemas';

/** The names for clients that send JSON over HTTP. */
const HTTP_NAMES: DoorNames = {
  ...TYPESCRIPT_NAMES,
  sourceSecret: '`sourceSecret`',
  waitForSession: 'GET /v1/uploads/{id}',
  batchId: '`batchId`',
  uploadEnd: (id) => `GET /v1/uploads/${encodeURIComponent(id)}`,
  batchEnd: (id) => `GET /v1/batches/${encodeURIComponent(id)}/results`,
  uploadList: 'GET /v1/uploads',
  batchList: 'GET /v1/batches',
};

/** The status of an answer for each code, if the request itself failed. */
const STATUS_OF: Readonly<Partial<Record<ErrorCode, number>>> = {
  Validation: 400,
  SourceMissing: 400,
  SourceChanged: 409,
  SourceNotAllowed: 403,
  SourceUnavailable: 503,
  Unauthorized: 401,
  RequestRefused: 409,
  InputDiffers: 409,
  Cancelled: 409,
  AccountNotServed: 404,
  RateLimited: 429,
  NoWorker: 503,
  TemporalUnreachable: 503,
  Transport: 502,
};
const UNEXPECTED = 'An unexpected error.';
const SEE_LOG = 'The log of the gateway says more.';

/** Their messages are for the operator: they name addresses and settings of this process. Its log has them. */
const FOR_OPERATOR: Readonly<Partial<Record<ErrorCode, string>>> = {
  TemporalUnreachable: "Temporal can't be reached.",
  Configuration: 'A setting of the gateway or its worker is wrong.',
  Internal: UNEXPECTED,
};

/** An error with the status that its answer has. */
export class AnsweredError extends MediaServiceError {
  constructor(
    readonly status: number,
    code: ErrorCode,
    message: string,
    facts: ErrorFacts = {},
    options?: ErrorOptions,
  ) {
    super(code, message, { outcome: 'refused', ...facts }, options);
  }
}

export function notFound(message: string, hint?: string): AnsweredError {
  return new AnsweredError(404, 'RequestRefused', message, given({ hint }));
}

/** Too much at once. The client may try again after some seconds. */
export function tooMany(message: string, retryAfterMs = 1_000): AnsweredError {
  return new AnsweredError(429, 'RateLimited', message, { retryAfterMs });
}

/** The answer to a request that failed. Never contains the text of an error that is not ours. */
export function errorAnswer(error: unknown) {
  const known = error instanceof MediaServiceError ? error : new MediaServiceError('Internal', UNEXPECTED);
  const { code, cause, facts } = known;
  const own = known instanceof AnsweredError ? known.status : undefined;
  const status = own ?? STATUS_OF[code] ?? 500;
  const instead = own === undefined ? FOR_OPERATOR[code] : undefined;
  const waitMs = facts.retryAfterMs ?? (status === 429 || status === 503 ? 1_000 : undefined);
  return {
    status,
    body: { error: instead === undefined ? shownFailure(known) : { code, message: instead, hint: SEE_LOG } },
    ...given({ retryAfterSeconds: waitMs && Math.ceil(waitMs / 1000) }),
    // The answer does not say what happened, so the log must.
    isForOperator: instead !== undefined || (status >= 500 && cause !== undefined),
  };
}

/** How a request, an upload or a batch failed, as the command's `--json` shows it. */
export function shownFailure({ code, message, facts }: MediaServiceError) {
  const { status, operation, field, problem, hint, serviceMessage, requestId, details } = facts;
  // `problem` and `advice` are for clients with words of their own.
  const advised = { hint, code };
  const advice = { hint: whatToDo(HTTP_NAMES, advised), problem, advice: hintOf(advised) };
  const texts = Object.entries(given({ message, ...advice, serviceMessage }));
  const redacted = Object.fromEntries(texts.map(([name, text]) => [name, redact(text)]));
  return { code, ...redacted, ...given({ status, operation, field, requestId, details }) };
}

/** A reason or a warning with its advice as text. */
export function shownAdvice<T extends { readonly hint?: string }>(reason: T): T {
  return inWords(HTTP_NAMES, reason);
}

/** An error of the server library as ours. Every other error passes unchanged. */
export function requestError(error: unknown): unknown {
  if (!isRecord(error) || error instanceof AnsweredError) return error;
  const { validation, validationContext, code, message, statusCode = 500 } = error as Partial<FastifyError>;
  const part = validationContext === 'querystring' ? 'query' : 'body';
  if (validation?.[0] !== undefined) return invalid(validation[0], part);
  if (code?.startsWith('FST_ERR_') !== true || statusCode >= 500) return error;
  return new AnsweredError(statusCode, 'Validation', `${message}.`, given({ hint: HINTS[statusCode] }));
}

/** What the server library's message does not say. */
const HINTS: Readonly<Record<number, string>> = {
  413: 'Give more than 1.5 MB of rows in a manifest that workers can read.',
  415: 'Send JSON, with Content-Type: application/json.',
};

/** The same words as at the other doors, as far as the option tables have them. */
function invalid(
  { instancePath, keyword, params, message = 'is wrong' }: FastifySchemaValidationError,
  part: string,
): AnsweredError {
  const names = instancePath.split('/').slice(1);
  const more = params['additionalProperty'] ?? params['missingProperty'];
  const path = [...names, ...(typeof more === 'string' ? [more] : [])].join('.');
  const field = path === '' ? undefined : path;
  const option = optionNamed(names.at(-1) ?? '');
  const range = option && problemOfNumber(option, Number.NaN);
  const problem = range ?? WANTED[keyword]?.(params) ?? message;
  const facts = { problem, ...given({ field }) };
  return new AnsweredError(400, 'Validation', `${field ?? `the ${part}`} ${problem}`, facts);
}

const WANTED: Readonly<Record<string, (params: FastifySchemaValidationError['params']) => string>> = {
  additionalProperties: () => 'is not known here',
  required: () => 'is missing',
  enum: ({ allowedValues }) => `must be one of ${(allowedValues as string[]).join(', ')}`,
  minLength: () => 'is empty',
  minItems: () => 'is empty',
  maxLength: ({ limit }) => `must have at most ${String(limit)} characters`,
  maxItems: ({ limit }) => `must have at most ${String(limit)} entries`,
};
