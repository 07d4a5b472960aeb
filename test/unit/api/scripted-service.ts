import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Account } from '../../../api/account/account';
import type { Clock } from '../../../api/clock';
import { createService } from '../../../api/service/create-service';
import type { ServiceParts } from '../../../api/service/create-service';
import type { Service } from '../../../api/service/service';
import { createUndiciTransport } from '../../../api/transport/undici-transport';

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
  /** An object goes out as JSON. */
  readonly body?: unknown;
}

/** Answers a call, or takes the connection into its own hands and returns nothing. */
export type Script = (
  call: SeenCall,
  request: IncomingMessage,
  response: ServerResponse,
) => ScriptedAnswer | undefined;

/** A service on loopback that says what a test tells it to: `login` for the login, `operation` for everything else. */
export interface ScriptedService {
  readonly account: Account;
  readonly service: Service;
  readonly logins: SeenCall[];
  readonly calls: SeenCall[];
  login: Script;
  operation: Script;
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
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const account: Account = {
    baseUrl: origin,
    uploadUrl: origin,
    externalId: 'sub-7',
    apiKey: 'the-api-key',
    secretKey: 'the-secret-key',
  };
  const transport = createUndiciTransport();
  const scripted: ScriptedService = {
    account,
    service: createService({ account, transport, clock, ...more }),
    logins,
    calls,
    login: () => ({ body: { accessToken: `token-${logins.length}`, refreshToken: 'unused' } }),
    operation: () => ({ body: {} }),
    close: async () => {
      await transport.close();
      await stop(server);
    },
  };
  return scripted;
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

async function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
