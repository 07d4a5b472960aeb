import type { Account, ServiceOptions } from './account';
import { errorOfAnswer } from './answer-error';
import { checkAccount } from './check-account';
import type { Clock } from './clock';
import { MediaServiceError } from './errors';
import { nameOperation } from './name-operation';
import { discardBody, readStart, readText } from './read-answer';
import { retryDelayMs } from './retry-delay';
import { isRetryable } from './retryable';
import type { Service, ServiceAnswer, ServiceCall } from './service';
import { systemClock } from './system-clock';
import { createTokenSource } from './token-source';
import type { TokenSource } from './token-source';
import type { HttpAnswer, Transport } from './transport/transport';

export interface ServiceParts {
  readonly account: Account;
  readonly transport: Transport;
  readonly options?: ServiceOptions;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Of the same account; for services that share their tokens. Default: its own. */
  readonly tokens?: TokenSource;
}

export const DEFAULT_SERVICE_OPTIONS = {
  ingestTag: 'ingestKey',
  completeBody: '{"parts":{parts}}',
  maxParts: 120,
  partContentType: 'application/octet-stream',
  sortSeparator: ',',
  allowPlainHttp: false,
} as const;

const DEFAULT_MAX_ANSWER_BYTES = 32 * 1024 * 1024;
const MAX_ERROR_ANSWER_BYTES = 64 * 1024;
/** Tries of an idempotent call; a renewed token's extra try is not counted. */
const MAX_TRIES = 5;

/**
 * The door to the service for one account: see `Service`. Checks and normalises the account (throws `ConfigurationError`) and sends
 * nothing. Make one per account and process: its calls share one token, and a Retry-After that one call meets holds for all.
 */
export function createService({
  account,
  transport,
  options = {},
  clock = systemClock,
  ...given
}: ServiceParts): Service {
  const checked = checkAccount(account, options);
  const tokens = given.tokens ?? createTokenSource({ account: checked, transport, clock });
  const secrets = [checked.apiKey, checked.secretKey];
  /** Epoch ms until which the service asked not to be called. */
  let quietUntil = 0;

  async function sendWith(token: string, call: ServiceCall): Promise<HttpAnswer> {
    const answer = await transport.send({
      method: call.method,
      url: call.url,
      headers: {
        accept: call.accept ?? 'application/json',
        authorization: `Bearer ${token}`,
        ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(call.body === undefined ? {} : { body: call.body }),
      signal: call.signal,
      freshConnection: !call.idempotent,
    });
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw await refusalOf(answer, token, call);
  }

  async function refusalOf(answer: HttpAnswer, token: string, call: ServiceCall): Promise<MediaServiceError> {
    const { status, headers } = answer;
    const text = await readStart(answer.body, MAX_ERROR_ANSWER_BYTES);
    const now = clock.now();
    const error = errorOfAnswer(
      call.operation,
      { status, headers, text },
      { now, secrets: [...secrets, token] },
    );
    if (status === 401) tokens.refuse(token);
    if (error.code === 'RateLimited')
      quietUntil = Math.max(quietUntil, now + (error.facts.retryAfterMs ?? 0));
    return error;
  }

  async function attempt<T>(call: ServiceCall, read: (answer: HttpAnswer) => Promise<T>): Promise<T> {
    const quiet = quietUntil - clock.now();
    if (quiet > 0) await clock.sleep(quiet, call.signal);
    const token = await tokens.token(call.signal).catch((error: unknown) => Promise.reject(asUnsent(error)));
    try {
      return await read(await sendWith(token, call));
    } catch (error) {
      throw nameOperation(error, call.operation);
    }
  }

  async function persistently<T>(call: ServiceCall, read: (answer: HttpAnswer) => Promise<T>): Promise<T> {
    call.signal?.throwIfAborted();
    if (!call.idempotent) return attempt(call, read);
    let renewed = false;
    for (let tries = 1; ;) {
      try {
        return await attempt(call, read);
      } catch (error) {
        if (isUnauthorized(error) && !renewed) {
          renewed = true;
          continue;
        }
        if (
          tries === MAX_TRIES ||
          call.signal?.aborted === true ||
          !isRetryable(error) ||
          isLoginError(error)
        )
          throw error;
        await clock.sleep(retryDelayMs(error, tries), call.signal);
        tries += 1;
      }
    }
  }

  return {
    account: checked,
    options: { ...DEFAULT_SERVICE_OPTIONS, ...withoutUndefined(options) },
    transport,
    clock,
    tokens,
    call: (call) => persistently(call, (answer) => readWhole(answer, call)),
    stream: (call) => persistently(call, (answer) => Promise.resolve(answer)),
  };
}

async function readWhole(answer: HttpAnswer, call: ServiceCall): Promise<ServiceAnswer> {
  const { status, headers, body } = answer;
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== '' && encoding !== 'identity') {
    await discardBody(body);
    throw new MediaServiceError(
      'UnreadableAnswer',
      `the answer is compressed (${encoding}) although that was not asked for`,
      {
        status,
        outcome: 'ambiguous',
        hint: 'A proxy between here and the service compresses answers: switch that off for this address.',
      },
    );
  }
  return { status, headers, text: await readText(body, call.maxAnswerBytes ?? DEFAULT_MAX_ANSWER_BYTES) };
}

function isUnauthorized(error: unknown): boolean {
  return error instanceof MediaServiceError && error.code === 'Unauthorized';
}

/** The token source tried often enough already. */
function isLoginError(error: unknown): boolean {
  return error instanceof MediaServiceError && error.facts.operation === 'login';
}

/** A login that lost its answer says nothing about the call behind it, which was never sent. */
function asUnsent(error: unknown): unknown {
  if (!(error instanceof MediaServiceError) || error.outcome !== 'ambiguous') return error;
  return new MediaServiceError(
    error.code,
    error.message,
    { ...error.facts, outcome: 'unsent' },
    { cause: error },
  );
}

/** An option set to undefined means its default. */
function withoutUndefined(options: ServiceOptions): ServiceOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
