import { TransportError } from '../../../../api/errors';
import type { ServiceOptions } from '../../../../api/account';
import { createService } from '../../../../api/service/create-service';
import { retryingService } from '../../../../api/service/service';
import type { RetryingService } from '../../../../api/service/service';
import type { HttpAnswer, HttpRequest } from '../../../../api/transport/transport';

export interface ScriptedAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ScriptedService {
  readonly service: RetryingService;
  /** `METHOD path` of everything except logins. */
  readonly calls: string[];
  readonly bodies: unknown[];
  /** ms */
  readonly slept: number[];
}

/** The connection was lost after the request was sent. */
export const LOST = 'lost';
/** The connection was never made. */
export const UNSENT = 'unsent';

export type Script = (call: string, count: number) => ScriptedAnswer | typeof LOST | typeof UNSENT;

/**
 * The real service client over a transport with scripted answers. `count` is the number of earlier identical calls.
 * Logins succeed. Time passes only in sleeps, from epoch ms 1,000,000.
 */
export function scriptedService(script: Script, options: ServiceOptions = {}): ScriptedService {
  const calls: string[] = [];
  const counts = new Map<string, number>();
  const bodies: unknown[] = [];
  const slept: number[] = [];
  let now = 1_000_000;
  const send = async (request: HttpRequest): Promise<HttpAnswer> => {
    const { pathname, search } = new URL(request.url);
    if (pathname === '/api/login')
      return answerOf({ status: 200, body: { accessToken: `token-${calls.length}` } });
    const call = `${request.method} ${pathname}${search}`;
    const count = counts.get(call) ?? 0;
    counts.set(call, count + 1);
    calls.push(call);
    bodies.push(typeof request.body === 'string' ? JSON.parse(request.body) : undefined);
    const answer = script(call, count);
    if (answer === LOST) throw new TransportError('reset', { outcome: 'ambiguous' });
    if (answer === UNSENT) throw new TransportError('no connection', { outcome: 'unsent' });
    return answerOf(answer);
  };
  const once = createService({
    account: {
      baseUrl: 'https://api.example.com',
      uploadUrl: 'https://upload.example.com',
      externalId: 'studio',
      apiKey: 'api-key',
      secretKey: 'secret-key',
    },
    transport: { send },
    options,
    clock: {
      now: () => now,
      sleep: async (ms, signal) => {
        signal?.throwIfAborted();
        slept.push(ms);
        now += ms;
      },
    },
  });
  return { service: retryingService(once), calls, bodies, slept };
}

function answerOf({ status, body, headers = {} }: ScriptedAnswer): HttpAnswer {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(typeof body === 'string' ? body : JSON.stringify(body ?? {}));
  }
  return { status, headers, body: bytes() };
}
