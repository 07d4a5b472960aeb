import type { Account } from '../../../api/account';
import type { Clock } from '../../../api/clock';
import { TransportError } from '../../../api/errors';
import { createService } from '../../../api/service/create-service';
import type { ServiceParts } from '../../../api/service/create-service';
import { retryingService } from '../../../api/service/service';
import type { RetryingService } from '../../../api/service/service';
import { answerHeaders } from '../../../api/transport/transport';
import type { HttpAnswer, HttpRequest } from '../../../api/transport/transport';

export interface SeenCall extends Pick<HttpRequest, 'method' | 'headers' | 'freshConnection'> {
  readonly path: string;
  readonly search: string;
  readonly query: URLSearchParams;
  readonly body: string;
}

export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, bytes as they are. */
  readonly body?: unknown;
  /** `cut`: the connection is lost after the body. `endless`: the body comes again and again. */
  readonly end?: 'cut' | 'endless';
}

/** Answers a call, or throws as a transport does. */
export type Script = (call: SeenCall) => ScriptedAnswer;

/** What the client did with the body of an answer. */
export interface BodyUse {
  bytes: number;
  /** It was read to its end or given up, so that its connection is free again. */
  isEnded: boolean;
}

/** A service that a test scripts: `login` for the login, `operation` for everything else. */
export interface ScriptedService {
  readonly service: RetryingService;
  readonly logins: SeenCall[];
  readonly calls: SeenCall[];
  readonly bodies: BodyUse[];
  login: Script;
  operation: Script;
}

export const ACCOUNT: Account = {
  baseUrl: 'https://api.example.com',
  uploadUrl: 'https://upload.example.com',
  externalId: 'sub-7',
  apiKey: 'the-api-key',
  secretKey: 'the-secret-key',
};

/** The real client over a transport with scripted answers. */
export function scriptedService(
  clock: Clock,
  more: Pick<ServiceParts, 'otherSecretKeys' | 'options'> = {},
): ScriptedService {
  const send = async ({ url, body, signal, ...request }: HttpRequest): Promise<HttpAnswer> => {
    const { pathname: path, search, searchParams: query } = new URL(url);
    // A server reads its requests.
    const sent = typeof body === 'object' ? Buffer.concat(await Array.fromAsync(body.open())) : (body ?? '');
    const call = { ...request, path, search, query, body: sent.toString() };
    const isLogin = path === '/api/login';
    (isLogin ? scripted.logins : scripted.calls).push(call);
    const answer = (isLogin ? scripted.login : scripted.operation)(call);
    signal?.throwIfAborted();
    const use = { bytes: 0, isEnded: false };
    scripted.bodies.push(use);
    return answerOf(answer, use);
  };
  const scripted: ScriptedService = {
    service: retryingService(createService({ account: ACCOUNT, transport: { send }, clock, ...more })),
    logins: [],
    calls: [],
    bodies: [],
    login: () => ({ body: { accessToken: `token-${scripted.logins.length}`, refreshToken: 'unused' } }),
    operation: () => ({ body: {} }),
  };
  return scripted;
}

/** Not a generator: that would not notice when it is given up before its first piece. */
function answerOf({ status = 200, headers = {}, body = '', end }: ScriptedAnswer, use: BodyUse): HttpAnswer {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  const bytes = Buffer.from(isRaw ? body : JSON.stringify(body));
  const done = (): IteratorResult<Uint8Array> => {
    use.isEnded = true;
    return { done: true, value: undefined };
  };
  const next = (): IteratorResult<Uint8Array> => {
    const isOver = use.bytes >= bytes.length && end !== 'endless';
    if (isOver && end === 'cut') throw new TransportError('reset', { outcome: 'ambiguous' });
    if (use.isEnded || isOver) return done();
    use.bytes += bytes.length;
    return { done: false, value: bytes };
  };
  const iterator = { next: async () => next(), return: async () => done() };
  const type = typeof body === 'string' ? 'text/plain' : 'application/json';
  return {
    status,
    headers: {
      ...(body instanceof Uint8Array ? {} : { 'content-type': type }),
      ...answerHeaders(headers),
    },
    body: { [Symbol.asyncIterator]: () => iterator },
  };
}
