import type { WithTodo } from '../api/advice';
import type { Advice } from '../api/remedies';
import { withTodo } from '../api/advice';
import { redact } from '../api/answers/redact';
import { MediaServiceError } from '../api/errors';
import type { ErrorCode, ErrorFacts } from '../api/errors';
import { given } from '../api/json';
import { adviceText, whatToDoAbout } from '../api/typescript-words';

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
  InputTooNew: 409,
  Cancelled: 409,
  AccountNotServed: 404,
  RateLimited: 429,
  NoWorker: 503,
  TemporalUnreachable: 503,
  Transport: 502,
};
const UNEXPECTED = 500;

/** Their messages are for the operator: they name addresses and settings of this process. Its log has them. */
const FOR_OPERATOR: Readonly<Partial<Record<ErrorCode, string>>> = {
  TemporalUnreachable: "Temporal can't be reached.",
  Configuration: 'A setting of the gateway or its worker is wrong.',
  Internal: 'An unexpected error.',
};

/** An error with the status that its answer has. */
export class AnsweredError extends MediaServiceError {
  constructor(
    readonly status: number,
    code: ErrorCode,
    message: string,
    facts: ErrorFacts = {},
  ) {
    super(code, message, { outcome: 'refused', ...facts });
  }
}

export function notFound(message: string, hint?: string): AnsweredError {
  return new AnsweredError(404, 'RequestRefused', message, given({ hint }));
}

/** Too much at once. The client may try again after some seconds. */
export function tooMany(message: string, retryAfterMs = 1_000): AnsweredError {
  return new AnsweredError(429, 'RateLimited', message, { retryAfterMs });
}

export interface ErrorAnswer {
  readonly status: number;
  /** As the command's `--json`. */
  readonly body: { readonly error: Partial<ShownFailure> };
  readonly retryAfterSeconds?: number;
  /** The answer does not say what happened, so the log must. */
  readonly isForOperator: boolean;
}

/** The answer to a request that failed. Never contains the text of an error that is not ours. */
export function errorAnswer(error: unknown): ErrorAnswer {
  if (!(error instanceof MediaServiceError)) return forOperator('Internal', UNEXPECTED);
  const status = error instanceof AnsweredError ? error.status : (STATUS_OF[error.code] ?? UNEXPECTED);
  if (error.code in FOR_OPERATOR && !(error instanceof AnsweredError)) {
    return {
      ...forOperator(error.code, status),
      ...given({ retryAfterSeconds: status === 503 ? 5 : undefined }),
    };
  }
  const { retryAfterMs } = error.facts;
  const wait = retryAfterMs ?? (status === 429 || status === 503 ? 1_000 : undefined);
  return {
    status,
    body: { error: shownFailure(error) },
    isForOperator: false,
    ...(wait === undefined ? {} : { retryAfterSeconds: Math.ceil(wait / 1000) }),
  };
}

function forOperator(code: ErrorCode, status: number): ErrorAnswer {
  const message = FOR_OPERATOR[code] ?? 'An unexpected error.';
  const hint = 'The log of the gateway says more.';
  return { status, body: { error: { code, message, hint } }, isForOperator: true };
}

type ShownFailure = ReturnType<typeof shownFailure>;

/** How an upload or a batch failed, as the command's `--json` shows it. */
export function shownFailure(error: MediaServiceError) {
  const { status, operation, field, problem, remedy, serviceMessage, requestId, details } = error.facts;
  const redacted = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : redact(text);
  return {
    code: error.code,
    message: redact(error.message),
    ...given({ hint: redacted(whatToDoAbout(error)), status, operation, field }),
    // The hint as data, for clients with words of their own.
    ...given({ problem: redacted(problem), remedy }),
    ...given({ serviceMessage: redacted(serviceMessage), requestId, details }),
  };
}

/** A reason or a warning with its advice as text. */
export function shownAdvice<T extends Advice>(reason: T): WithTodo<T> {
  return withTodo(reason, adviceText(reason));
}
