import { errorOfAnswer } from '../answers/answer-error';
import { MediaServiceError } from '../errors';
import { readStart } from '../answers/read-answer';
import type { Service, ServiceCall } from './service';
import type { HttpAnswer } from '../transport/transport';

const MAX_ERROR_ANSWER_BYTES = 64 * 1024;

/**
 * Sends a call once, with a fresh token: a 2xx resolves, anything else rejects with `errorOfAnswer`. A token that met a 401 is refused, and
 * a Retry-After that one call met is kept by all that are sent afterwards, the login among them.
 */
export function createSender(
  service: Pick<Service, 'account' | 'transport' | 'clock' | 'tokens'>,
): (call: ServiceCall) => Promise<HttpAnswer> {
  const { account, transport, clock, tokens } = service;
  /** Epoch ms until which the service asked not to be called. */
  let quietUntil = 0;

  async function refusalOf(
    { status, headers, body }: HttpAnswer,
    token: string,
    call: ServiceCall,
  ): Promise<MediaServiceError> {
    const text = await readStart(body, MAX_ERROR_ANSWER_BYTES);
    const now = clock.now();
    const secrets = [account.apiKey, account.secretKey, token];
    const error = errorOfAnswer(call.operation, { status, headers, text }, { now, secrets });
    if (status === 401) tokens.refuse(token);
    if (error.code === 'RateLimited')
      quietUntil = Math.max(quietUntil, now + (error.facts.retryAfterMs ?? 0));
    return error;
  }

  return async (call) => {
    const quiet = quietUntil - clock.now();
    if (quiet > 0) await clock.sleep(quiet, call.signal);
    const token = await tokens.token(call.signal).catch((error: unknown) => Promise.reject(asUnsent(error)));
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
  };
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
