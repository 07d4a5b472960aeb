import { checkAccount } from '../account';
import type { Account, ServiceOptions } from '../account';
import type { Clock } from '../clock';
import { errorWith, hasCode, MediaServiceError } from '../errors';
import { given } from '../json';
import { errorOfAnswer, nameOperation } from '../answers/answer-error';
import { discardBody, readStart, readText } from '../answers/read-answer';
import type { ServiceAnswer } from '../answers/read-answer';
import type { Service, ServiceCall } from './service';
import { createTokenSource } from '../login/login';
import type { TokenSource } from '../login/login';
import type { HttpAnswer, HttpRequest, Transport } from '../transport/transport';

export interface ServiceParts {
  readonly account: Account;
  readonly transport: Transport;
  readonly options?: ServiceOptions;
  readonly clock: Clock;
  /** Tokens of the same account, for services that share them. Default: its own. */
  readonly tokens?: TokenSource;
  /** Other secret keys of the account, see `createTokenSource`. */
  readonly otherSecretKeys?: readonly string[];
  /** Default: no observer. */
  readonly observer?: CallObserver;
}

export const DEFAULT_SERVICE_OPTIONS = {
  ingestTag: 'ingestKey',
  completeBody: '{"parts":{parts}}',
  maxParts: 120,
  sortSeparator: ',',
  allowPlainHttp: false,
} as const;

const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
const MAX_ERROR_ANSWER_BYTES = 64 * 1024;
/** The longest wait of a call for a Retry-After that another one met, ms. */
const SHORT_WAIT_MS = 5_000;

/**
 * Creates the access to the service for one account, see `Service`. It checks and normalises the account (throws
 * `ConfigurationError`) and sends nothing. Create one per account and process: its calls share one token and respect
 * each other's Retry-After.
 */
export function createService({ account, transport, options = {}, clock, ...parts }: ServiceParts): Service {
  const checked = checkAccount(account, options);
  const { observer, otherSecretKeys = [] } = parts;
  const loginTransport = observedTransport(transport, observer, 'login');
  const login = { account: checked, transport: loginTransport, clock, otherSecretKeys };
  const tokens = parts.tokens ?? createTokenSource(login);
  const sending: Sending = {
    account: checked,
    transport,
    clock,
    tokens,
    observer,
    quiet: createQuiet(clock),
  };
  return {
    account: checked,
    options: { ...DEFAULT_SERVICE_OPTIONS, ...given(options) },
    transport,
    clock,
    tokens,
    async call(call) {
      call.signal?.throwIfAborted();
      try {
        return await sendCall(sending, call).catch((error: unknown) => {
          if (call.idempotent && hasCode(error, 'Unauthorized')) return sendCall(sending, call);
          throw error;
        });
      } catch (error) {
        throw nameOperation(error, call.operation);
      }
    },
  };
}

interface Sending extends Pick<Service, 'account' | 'transport' | 'clock' | 'tokens'> {
  readonly observer: CallObserver | undefined;
  readonly quiet: ReturnType<typeof createQuiet>;
}

/**
 * Sends a call once, with a fresh token. A 2xx resolves; any other answer rejects with `errorOfAnswer`. A token that
 * met a 401 is refused. All later calls respect a Retry-After that a call or a login met.
 *
 * A call does not wait for a long Retry-After: it rejects with `RateLimited`, `unsent`, and `retryAfterMs`.
 */
async function sendCall(sending: Sending, call: ServiceCall): Promise<ServiceAnswer> {
  const { transport, clock, observer, quiet, tokens } = sending;
  const begun = clock.now();
  await quiet.over(call);
  const token = await tokens.token(call.signal).catch((error: unknown) => {
    quiet.note(error);
    throw asUnsent(error);
  });
  if (clock.now() - begun > (call.sendWithinMs ?? Infinity)) throw tooLate(call);
  const answer = await observedTransport(transport, observer, call.operation).send({
    method: call.method,
    url: call.url,
    headers: {
      accept: call.accept ?? 'application/json',
      authorization: `Bearer ${token}`,
      ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...given({ body: call.body }),
    signal: call.signal,
    freshConnection: !call.idempotent,
  });
  if (answer.status >= 200 && answer.status < 300) return readWhole(answer);
  throw await refusalOf(sending, answer, { call, token });
}

async function refusalOf(
  { account, clock, quiet, tokens }: Sending,
  { status, headers, body }: HttpAnswer,
  { call, token }: { readonly call: ServiceCall; readonly token: string },
): Promise<MediaServiceError> {
  const text = await readStart(body, MAX_ERROR_ANSWER_BYTES);
  const secrets = [account.apiKey, account.secretKey, token];
  const error = errorOfAnswer(call.operation, { status, headers, text }, { now: clock.now(), secrets });
  if (status === 401) tokens.refuse(token);
  quiet.note(error);
  return error;
}

async function readWhole({ status, headers, body }: HttpAnswer): Promise<ServiceAnswer> {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== '' && encoding !== 'identity') {
    await discardBody(body);
    throw new MediaServiceError(
      'UnreadableAnswer',
      `the answer is compressed (${encoding}) although that was not asked for`,
      {
        status,
        outcome: 'ambiguous',
        hint: 'A proxy between here and the service compresses answers: turn that off for this address.',
      },
    );
  }
  return { status, headers, text: await readText(body, MAX_ANSWER_BYTES, headers['content-type']) };
}

/** The time during which the service wants no calls. */
function createQuiet(clock: Clock) {
  /** Epoch ms */
  let until = 0;
  return {
    note(error: unknown): void {
      if (!hasCode(error, 'RateLimited')) return;
      until = Math.max(until, clock.now() + (error.facts.retryAfterMs ?? 0));
    },
    async over({ operation, signal }: ServiceCall): Promise<void> {
      const leftMs = until - clock.now();
      if (leftMs <= 0) return;
      if (leftMs <= SHORT_WAIT_MS) return clock.sleep(leftMs, signal);
      const seconds = Math.ceil(leftMs / 1000);
      throw new MediaServiceError(
        'RateLimited',
        `${operation}: not sent, because the service asked to wait another ${seconds} s`,
        { operation, outcome: 'unsent', retryAfterMs: leftMs, hint: 'Try again after that time.' },
      );
    },
  };
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
function observedTransport(
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
