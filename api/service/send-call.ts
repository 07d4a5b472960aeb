import { errorOfAnswer } from '../answers/answer-error';
import type { Clock } from '../clock';
import { errorWith, hasCode, MediaServiceError } from '../errors';
import { readStart } from '../answers/read-answer';
import type { Service, ServiceCall } from './service';
import type { HttpAnswer, HttpRequest, Transport } from '../transport/transport';

const MAX_ERROR_ANSWER_BYTES = 64 * 1024;
/** The longest wait of a call for a Retry-After that another one met, ms. */
const SHORT_WAIT_MS = 5_000;

/**
 * Sends a call once, with a fresh token. A 2xx resolves; any other answer rejects with `errorOfAnswer`. A token that
 * met a 401 is refused. All later calls respect a Retry-After that a call or a login met.
 *
 * A call does not wait for a long Retry-After: it rejects with `RateLimited`, `unsent`, and `retryAfterMs`.
 */
export function createSender(
  service: Pick<Service, 'account' | 'transport' | 'clock' | 'tokens'>,
  observer?: CallObserver,
): (call: ServiceCall) => Promise<HttpAnswer> {
  const { account, transport, clock, tokens } = service;
  const quiet = createQuiet(clock);

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
    quiet.note(error);
    return error;
  }

  async function tokenFor(call: ServiceCall): Promise<string> {
    try {
      return await tokens.token(call.signal);
    } catch (error) {
      quiet.note(error);
      throw asUnsent(error);
    }
  }

  return async (call) => {
    const begun = clock.now();
    await quiet.over(call);
    const token = await tokenFor(call);
    if (clock.now() - begun > (call.sendWithinMs ?? Infinity)) throw tooLate(call);
    const answer = await observedTransport(transport, observer, call.operation).send({
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

/** The time during which the service wants no calls. */
function createQuiet(clock: Clock): { note(error: unknown): void; over(call: ServiceCall): Promise<void> } {
  /** Epoch ms */
  let until = 0;
  return {
    note(error) {
      if (!hasCode(error, 'RateLimited')) return;
      until = Math.max(until, clock.now() + (error.facts.retryAfterMs ?? 0));
    },
    async over({ operation, signal }) {
      const leftMs = until - clock.now();
      if (leftMs <= 0) return;
      if (leftMs > SHORT_WAIT_MS) throw rateLimited(operation, leftMs);
      await clock.sleep(leftMs, signal);
    },
  };
}

/** Makes the error for a call that was not sent because an earlier Retry-After still applies. */
function rateLimited(operation: string, retryAfterMs: number): MediaServiceError {
  const seconds = Math.ceil(retryAfterMs / 1000);
  return new MediaServiceError(
    'RateLimited',
    `${operation}: not sent, because the service asked to wait another ${seconds} s`,
    { operation, outcome: 'unsent', retryAfterMs, hint: 'Try again after that time.' },
  );
}

/** The caller may already have given up, and may look for the call's effect. */
function tooLate({ operation }: ServiceCall): MediaServiceError {
  return new MediaServiceError(
    'Transport',
    `${operation}: not sent, because the login, or the wait that the service requested, took too long`,
    {
      operation,
      outcome: 'unsent',
      hint: 'If this continues, check the network between here and the service.',
    },
  );
}

/** Whatever happened to a login, the call after it was never sent. */
function asUnsent(error: unknown): unknown {
  if (!(error instanceof MediaServiceError)) return error;
  const isOurs = error.outcome === 'ambiguous' || error.code === 'RateLimited';
  return isOurs ? errorWith(error, { outcome: 'unsent' }) : error;
}

/**
 * Observes every request of one account's service, including logins, for metrics. `operation` in the interface's words:
 * `media search`, `login`. The result is called when the answer begins; its `status` is undefined if there is none.
 */
export type CallObserver = (operation: string) => (status: number | undefined) => void;

/** Returns the same transport with an observer: two calls for each request. */
export function observedTransport(
  transport: Transport,
  observer: CallObserver | undefined,
  operation: string,
): Pick<Transport, 'send'> {
  if (observer === undefined) return transport;
  return {
    async send(request: HttpRequest): Promise<HttpAnswer> {
      const end = observer(operation);
      let status: number | undefined;
      try {
        const answer = await transport.send(request);
        status = answer.status;
        return answer;
      } finally {
        end(status);
      }
    },
  };
}
