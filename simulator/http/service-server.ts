import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { control, isControlPath } from '../control/control';
import type { ServiceOperation } from '../faults/fault';
import { login } from '../login/login';
import { bearerOf } from '../login/tokens';
import { searchMedia } from '../media/media-search';
import { requestUrl, requestUrls } from '../uploads/additional-urls';
import { completeUpload } from '../uploads/upload-complete';
import { readUpload } from '../uploads/upload-session';
import { startUpload } from '../uploads/upload-start';
import { searchWebhooks } from '../webhooks/webhook-search';
import type { World } from '../world';
import { type Answer, Refusal, refusalAnswer, send } from './answer';
import type { Call } from './call';
import { type Handle, isReusedConnection } from './listener';
import { playFault } from './play-fault';

interface Route {
  readonly operation: ServiceOperation;
  readonly method: 'GET' | 'POST';
  readonly path: RegExp;
  readonly handle: (world: World, call: Call) => Promise<Answer>;
}

/** What stands under {base_url}. */
export const BASE_ROUTES: readonly Route[] = [
  {
    operation: 'login',
    method: 'POST',
    path: /^\/api\/login$/,
    handle: (world, { request }) => login(world, request),
  },
  { operation: 'search', method: 'POST', path: /^\/api\/media\/search$/, handle: searchMedia },
  { operation: 'webhooks', method: 'GET', path: /^\/api\/webhook\/search$/, handle: searchWebhooks },
];

/** What stands under {upload_url}. */
export const UPLOAD_ROUTES: readonly Route[] = [
  { operation: 'start', method: 'POST', path: /^\/upload\/start$/, handle: startUpload },
  {
    operation: 'complete',
    method: 'POST',
    path: /^\/upload\/(?<uploadId>[^/]+)\/complete$/,
    handle: completeUpload,
  },
  { operation: 'urls', method: 'POST', path: /^\/upload\/(?<uploadId>[^/]+)\/urls$/, handle: requestUrls },
  {
    operation: 'urls',
    method: 'GET',
    path: /^\/upload\/(?<uploadId>[^/]+)\/url\/(?<partNumber>[^/]+)$/,
    handle: requestUrl,
  },
  { operation: 'session', method: 'GET', path: /^\/upload\/(?<uploadId>[^/]+)$/, handle: readUpload },
];

/** Serves one address of the service: routing, bearer tokens, faults, errors, recording. */
export function serviceHandler(world: () => World, routes: readonly Route[]): Handle {
  return async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://service');
    response.setHeader('x-request-id', randomUUID());
    if (isControlPath(url.pathname)) return control(world(), { request, response, url });
    const route = routes.find(({ path, method }) => path.test(url.pathname) && method === request.method);
    const operation = route?.operation ?? 'unknown';
    const groups = route?.path.exec(url.pathname)?.groups ?? {};
    const call: Call = {
      request,
      query: url.searchParams,
      uploadId: decodeURIComponent(groups['uploadId'] ?? ''),
      partNumber: groups['partNumber'] ?? '',
    };
    await takeTime(world());
    const status = await serve(world(), {
      route,
      call,
      response,
      path: url.pathname,
      isKnownPath: routes.some(({ path }) => path.test(url.pathname)),
    });
    world().recorder.answered(operation, status, {
      ...(call.uploadId === '' ? {} : { uploadId: call.uploadId }),
      reusedConnection: isReusedConnection(request),
    });
  };
}

const SLOW_MS = 10_000;

/** A simulator that closes waits no longer. */
async function takeTime(world: World): Promise<void> {
  const { latencyMs, slowEvery } = world.settings;
  world.calls += 1;
  const ms = latencyMs + (slowEvery > 0 && world.calls % slowEvery === 0 ? SLOW_MS : 0);
  if (ms > 0) await setTimeout(ms, undefined, { signal: world.closing }).catch(() => undefined);
}

interface Exchange {
  readonly route: Route | undefined;
  readonly call: Call;
  readonly response: ServerResponse;
  readonly path: string;
  readonly isKnownPath: boolean;
}

async function serve(world: World, { route, call, response, path, isKnownPath }: Exchange): Promise<number> {
  const { request, uploadId } = call;
  const context = { shapes: world.shapes, path, now: world.settings.now() };
  if (route === undefined) {
    const refusal = isKnownPath
      ? new Refusal(405, 'Method not allowed.')
      : new Refusal(404, `There is no ${path} here.`);
    request.resume();
    send(response, refusalAnswer(refusal, context));
    return refusal.status;
  }
  const { operation } = route;
  const occasion = { operation, uploadId: uploadId === '' ? undefined : uploadId };
  const instead = world.faults.take({ ...occasion, when: 'instead' });
  if (instead !== undefined) {
    await drain(request);
    return playFault(instead, { world, operation, request, response });
  }
  const answer = await carryOut(world, route, call).catch((error: unknown) => {
    if (error instanceof Refusal) return refusalAnswer(error, context);
    throw error;
  });
  const after = answer.status < 300 ? world.faults.take({ ...occasion, when: 'after' }) : undefined;
  if (after !== undefined) return playFault(after, { world, operation, request, response, answer });
  request.resume();
  send(response, answer);
  return answer.status;
}

async function carryOut(world: World, route: Route, call: Call): Promise<Answer> {
  if (route.operation !== 'login') requireToken(world, call.request);
  return route.handle(world, call);
}

function requireToken(world: World, request: IncomingMessage): void {
  const token = bearerOf(request.headers.authorization);
  const challenge = { 'www-authenticate': 'Bearer' };
  if (token === undefined) throw new Refusal(401, 'A bearer token is required.', challenge);
  const verdict = world.tokens.judge(token);
  if (verdict === 'expired') throw new Refusal(401, 'The access token has expired.', challenge);
  if (verdict === 'unknown') throw new Refusal(401, 'The access token is not valid.', challenge);
}

/** The client has sent all of it before anything happens: a lost answer is then one that was really waited for. */
async function drain(request: IncomingMessage): Promise<void> {
  await finished(request.resume());
}
