import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Account } from '../../../api/account';
import type { Clock } from '../../../api/clock';
import { createService } from '../../../api/service/create-service';
import type { ServiceParts } from '../../../api/service/create-service';
import { retryingService } from '../../../api/service/service';
import type { RetryingService } from '../../../api/service/service';
import type { Transport } from '../../../api/transport/transport';
import { createUndiciTransport } from '../../../api/transport/undici-transport';
import { listen } from '../../support/listen';

export interface SeenCall {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** An object is sent as JSON. */
  readonly body?: unknown;
}

/** Answers a call, or handles the connection itself and returns nothing. */
export type Script = (
  call: SeenCall,
  request: IncomingMessage,
  response: ServerResponse,
) => ScriptedAnswer | undefined;

/** A service on loopback that a test scripts: `login` for the login, `operation` for everything else. */
export interface ScriptedService {
  readonly account: Account;
  readonly service: RetryingService;
  readonly logins: SeenCall[];
  readonly calls: SeenCall[];
  login: Script;
  operation: Script;
  /** Bytes of answer bodies that clients have read. */
  taken(): number;
  close(): Promise<void>;
}

export async function startScriptedService(
  clock: Clock,
  more: Pick<ServiceParts, 'otherSecretKeys'> = {},
): Promise<ScriptedService> {
  const logins: SeenCall[] = [];
  const calls: SeenCall[] = [];
  const server = createServer((request, response) => {
    void readCall(request).then((call) => {
      const isLogin = call.path === '/api/login';
      (isLogin ? logins : calls).push(call);
      const answer = (isLogin ? scripted.login : scripted.operation)(call, request, response);
      if (answer !== undefined) reply(response, answer);
    });
  });
  const { url: origin, close } = await listen(server);
  const account: Account = {
    baseUrl: origin,
    uploadUrl: origin,
    externalId: 'sub-7',
    apiKey: 'the-api-key',
    secretKey: 'the-secret-key',
  };
  const transport = createUndiciTransport();
  let taken = 0;
  const counting: Transport = {
    async send(httpRequest) {
      const answer = await transport.send(httpRequest);
      return { ...answer, body: countedBody(answer.body, (bytes) => (taken += bytes)) };
    },
  };
  const scripted: ScriptedService = {
    account,
    service: retryingService(createService({ account, transport: counting, clock, ...more })),
    logins,
    calls,
    login: () => ({ body: { accessToken: `token-${logins.length}`, refreshToken: 'unused' } }),
    operation: () => ({ body: {} }),
    taken: () => taken,
    close: async () => {
      await transport.close();
      await close();
    },
  };
  return scripted;
}

/** Counts the bytes of a body. If it is abandoned unread, the source is closed as well. */
function countedBody(
  body: AsyncIterable<Uint8Array>,
  onBytes: (bytes: number) => void,
): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const pieces = body[Symbol.asyncIterator]();
      return {
        async next() {
          const piece = await pieces.next();
          if (piece.done !== true) onBytes(piece.value.byteLength);
          return piece;
        },
        return: async () => (await pieces.return?.()) ?? { done: true, value: undefined },
      };
    },
  };
}

async function readCall(request: IncomingMessage): Promise<SeenCall> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  const { method = '', url = '', headers } = request;
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  return { method, path: pathname, query: searchParams, headers, body };
}

function reply(response: ServerResponse, { status = 200, headers = {}, body = '' }: ScriptedAnswer): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type = typeof body === 'string' ? 'text/plain' : 'application/json';
  response.writeHead(status, { 'content-type': type, ...headers });
  response.end(text);
}
