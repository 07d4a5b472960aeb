import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { Logger } from '@temporalio/worker';
import { fastify } from 'fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ConfigurationError } from '../api/errors';
import { isRecord, parseExact, parsedJson } from '../api/json';
import { systemCodeOf } from '../files/system-error';
import { ALL_INTERFACES, listenError, socketAddress } from '../temporal/worker/health-server';
import { AnsweredError, errorAnswer, requestError } from './error-answer';
import { limitsOf } from './gateway-config';
import type { GatewayConfig } from './gateway-config';
import type { Admission } from './admission';
import { openApiOf } from './openapi';
import type { Call, GatewayContext, Route } from './route';
import { request } from './schemas';

export interface HttpServer {
  /** As `http://127.0.0.1:8090`. */
  readonly url: string;
  /** Takes no new request, and gives those that run a few seconds to end. */
  close(): Promise<void>;
}

export interface Serving {
  readonly context: GatewayContext;
  readonly routes: readonly Route[];
  readonly admission: Admission;
  readonly logger: Pick<Logger, 'error'>;
}

/** Serves the routes, and for everybody /healthz and /openapi.json. Rejects with `Configuration` if the address or the certificate can't be used. */
export async function startServer(serving: Serving): Promise<HttpServer> {
  const { config } = serving.context;
  const limits = limitsOf(config);
  const refuse = (
    error: unknown,
    { method, routeOptions, raw }: FastifyRequest,
    reply: FastifyReply,
  ): void => {
    const stops = serving.context.stopping.aborted && !(error instanceof AnsweredError);
    const failure = stops
      ? new AnsweredError(503, 'WorkerBusy', 'The gateway is stopping.')
      : requestError(error);
    const { status, body, retryAfterSeconds, isForOperator } = errorAnswer(failure);
    if (isForOperator)
      serving.logger.error('A request failed', { method, path: routeOptions.url ?? '', error: failure });
    if (retryAfterSeconds !== undefined) void reply.header('retry-after', retryAfterSeconds);
    if (status === 401) void reply.header('www-authenticate', 'Bearer');
    void reply.status(status).send(body);
    // A connection that is closed while the client still sends would lose the answer.
    if (!raw.complete && !raw.destroyed) cutSlowBody(raw.resume(), limits.receiveMs);
  };
  const app = createApp(limits, refuse, await pemsOf(config));
  app.server.headersTimeout = limits.receiveMs;
  app.server.maxConnections = limits.connections;
  app.setErrorHandler(refuse);
  app.setNotFoundHandler(() => {
    throw new AnsweredError(404, 'RequestRefused', 'There is no such address.', {
      hint: 'See /openapi.json for all addresses.',
    });
  });
  takeJson(app);
  app.get('/healthz', (_request, reply) => reply.send({ ok: true }));
  app.get('/openapi.json', (_request, reply) => reply.send(openApiOf(serving.routes)));
  for (const route of serving.routes) if (route.body !== 'stream') addRoute(app, route, serving);
  void app.register(async (streams) => {
    streams.removeAllContentTypeParsers();
    streams.addContentTypeParser('*', (_request, body, done) => done(null, body));
    for (const route of serving.routes) if (route.body === 'stream') addRoute(streams, route, serving);
  });
  return listening(app, config);
}

/** Ids are parts of addresses, and percent-encoded. */
const MAX_ID_LENGTH = 3_000;

/** Not async: a promise of an instance would wait until it has started. */
function createApp(
  limits: ReturnType<typeof limitsOf>,
  frameworkErrors: (error: unknown, request: FastifyRequest, reply: FastifyReply) => void,
  pems: Awaited<ReturnType<typeof pemsOf>>,
): FastifyInstance {
  const http = { connectionsCheckingInterval: 1_000 };
  const options = {
    bodyLimit: limits.bodyBytes,
    connectionTimeout: limits.idleMs,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    routerOptions: { maxParamLength: MAX_ID_LENGTH },
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false } },
    frameworkErrors,
  } as const;
  if (pems === undefined) return fastify({ ...options, http });
  return fastify({ ...options, https: { ...http, ...pems, minVersion: 'TLSv1.2' } });
}

async function pemsOf({ tls }: GatewayConfig) {
  if (tls === undefined) return undefined;
  try {
    const pems = { cert: await readFile(tls.certFile), key: await readFile(tls.keyFile) };
    createSecureContext(pems);
    return pems;
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown reason';
    throw new ConfigurationError('tls', `The certificate and its key can't be used: ${why}.`);
  }
}

/** Numbers and flags of a query, which come as text. A field that comes twice is a list, which no schema accepts. */
function typedQuery(query: object, fields: NonNullable<Route['query']>): object {
  const typed = ([name, value]: [string, unknown]): [string, unknown] => {
    const { type = 'string' } = fields[name] ?? {};
    return [name, type === 'string' || typeof value !== 'string' ? value : (parsedJson(value) ?? value)];
  };
  return Object.fromEntries(Object.entries(query).map(typed));
}

/** Integers stay exact. */
function takeJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
    try {
      done(null, text === '' ? undefined : parseExact(String(text)));
    } catch {
      done(new AnsweredError(400, 'Validation', 'The body is not JSON.'));
    }
  });
}

function addRoute(app: FastifyInstance, route: Route, { context, admission }: Serving): void {
  const { method, path, query = {}, required, body } = route;
  const limits = limitsOf(context.config);
  const calls = new WeakMap<FastifyRequest, { readonly caller: Call['caller'] }>();
  app.route({
    method,
    url: path.replace('{id}', ':id'),
    schema: { querystring: request(query, required), ...(typeof body === 'object' ? { body } : {}) },
    onRequest: async (asked, reply) => {
      const { headers, ip } = asked;
      const admitted = await admission.admit({ headers, ip, query: asked.query as Call['query'] }, route);
      calls.set(asked, admitted);
      // The client may have gone meanwhile.
      if (reply.raw.closed || asked.raw.socket.destroyed) return admitted.release();
      reply.raw.once('close', admitted.release);
      if (body !== 'stream') cutSlowBody(asked.raw, limits.receiveMs);
    },
    preValidation: async (asked) => {
      asked.query = typedQuery(asked.query as object, query);
    },
    handler: async (asked, reply) => {
      const admitted = calls.get(asked);
      if (admitted === undefined) throw new Error('Only admitted requests come here.');
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      const { params } = asked;
      const answer = await route.handle({
        ...context,
        caller: admitted.caller,
        id: isRecord(params) && typeof params['id'] === 'string' ? params['id'] : '',
        query: asked.query as Call['query'],
        body: asked.body,
        incoming: asked.raw,
        signal: AbortSignal.any([gone.signal, context.stopping]),
      });
      void reply.status(answer.status ?? 200);
      if (answer.type !== undefined) void reply.type(answer.type);
      return reply.send(answer.body);
    },
  });
}

/** A body that does not come in time. */
function cutSlowBody(raw: FastifyRequest['raw'], ms: number): void {
  const timer = setTimeout(() => {
    if (!raw.complete) raw.destroy();
  }, ms);
  raw.once('close', () => clearTimeout(timer));
}

async function listening(app: FastifyInstance, { listen, tls }: GatewayConfig): Promise<HttpServer> {
  const { host, port } = listen;
  try {
    await app.ready();
    await app.listen({ port, host: host === ALL_INTERFACES ? '::' : host });
  } catch (error) {
    await app.close();
    throw error instanceof Error && systemCodeOf(error) !== undefined
      ? listenError('http', listen, error)
      : error;
  }
  const { address, port: opened } = app.server.address() as AddressInfo;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${socketAddress({ host: address, port: opened })}`,
    close: () => app.close(),
  };
}
