import { checkAccount } from '../account';
import type { Account, ServiceOptions } from '../account';
import type { Clock } from '../clock';
import { hasCode, MediaServiceError } from '../errors';
import { given } from '../json';
import { nameOperation } from '../answers/answer-error';
import { discardBody, readText } from '../answers/read-answer';
import type { ServiceAnswer } from '../answers/read-answer';
import { createSender, observedTransport } from './send-call';
import type { CallObserver } from './send-call';
import type { Service, ServiceCall } from './service';
import { createTokenSource } from '../login/token-source';
import type { TokenSource } from '../login/token-source';
import type { HttpAnswer, Transport } from '../transport/transport';

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

const DEFAULT_MAX_ANSWER_BYTES = 32 * 1024 * 1024;

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
  const send = createSender({ account: checked, transport, clock, tokens }, observer);
  return {
    account: checked,
    options: { ...DEFAULT_SERVICE_OPTIONS, ...given(options) },
    transport,
    clock,
    tokens,
    call: (call) => callOnce(call, async () => readWhole(await send(call), call)),
  };
}

/** Sends once. An idempotent call that met a 401 is sent once more, with a renewed token. */
async function callOnce<T>(call: ServiceCall, attempt: () => Promise<T>): Promise<T> {
  call.signal?.throwIfAborted();
  try {
    return await attempt().catch((error: unknown) => {
      if (call.idempotent && hasCode(error, 'Unauthorized')) return attempt();
      throw error;
    });
  } catch (error) {
    throw nameOperation(error, call.operation);
  }
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
        hint: 'A proxy between here and the service compresses answers: turn that off for this address.',
      },
    );
  }
  const maxBytes = call.maxAnswerBytes ?? DEFAULT_MAX_ANSWER_BYTES;
  return { status, headers, text: await readText(body, maxBytes, headers['content-type']) };
}
