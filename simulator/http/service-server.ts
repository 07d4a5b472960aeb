import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished } from 'node:stream/promises';
import { control, isControlPath } from '../control/control';
import type { ServiceOperation } from '../faults/fault';
import { isJsonRecord, parseJson } from '../json';
import { login } from '../login/login';
import { searchMedia, searchedTags } from '../media/media-search';
import { completeUpload } from '../uploads/upload-complete';
import { readUpload } from '../uploads/upload-session';
import { requestUrls, startUpload } from '../uploads/upload-start';
import { searchWebhooks } from '../webhooks/webhook-search';
import type { SimulatorState } from '../state';
import { type Answer, type Call, Refusal, refusalAnswer, send } from './answer';
import { type Handle, pathOf } from './listener';
import { playFault } from './play-fault';
import { bearerOf, readBytes } from './request-body';

interface Route {
  readonly operation: ServiceOperation;
  readonly method: 'GET' | 'POST';
  readonly path: RegExp;
  readonly handle: (state: SimulatorState, call: Call) => Promise<Answer>;
}

/** Routes under {base_url}. */
export const BASE_ROUTES: readonly Route[] = [
  { operation: 'login', method: 'POST', path: /^\/api\/login$/, handle: login },
  { operation: 'search', method: 'POST', path: /^\/api\/media\/search$/, handle: searchMedia },
  { operation: 'webhooks', method: 'GET', path: /^\/api\/webhook\/search$/, handle: searchWebhooks },
];

/** Routes under {upload_url}. */
export const UPLOAD_ROUTES: readonly Route[] = [
  { operation: 'start', method: 'POST', path: /^\/upload\/start$/, handle: startUpload },
  {
    operation: 'complete',
    method: 'POST',
    path: /^\/upload\/(?<uploadId>[^/]+)\/complete$/,
    handle: completeUpload,
  },
  { operation: 'urls', method: 'POST', path: /^\/upload\/(?<uploadId>[^/]+)\/urls$/, handle: requestUrls },
  { operation: 'session', method: 'GET', path: /^\/upload\/(?<uploadId>[^/]+)$/, handle: readUpload },
];

/** Serves one URL of the service: routing, bearer tokens, faults, errors, recording. */
export function serviceHandler(state: SimulatorState, routes: readonly Route[]): Handle {
  return async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://service');
    response.setHeader('x-request-id', randomUUID());
    if (isControlPath(url.pathname)) return control(state, { request, response, url });
    const route = routes.find(({ path, method }) => path.test(url.pathname) && method === request.method);
    const operation = route?.operation ?? 'unknown';
    const call: Call = {
      request,
      query: url.searchParams,
      uploadId: route?.path.exec(url.pathname)?.groups?.['uploadId'] ?? '',
      subAccountId: '',
    };
    await takeTime(state);
    const status = await serve(state, { route, call, response });
    state.recorder.answered(operation, status, { uploadId: call.uploadId || undefined });
  };
}

const SLOW_MS = 10_000;

/** The delay of a call. */
async function takeTime(state: SimulatorState): Promise<void> {
  const { latencyMs, slowEvery } = state.settings;
  state.calls += 1;
  const ms = latencyMs + (slowEvery > 0 && state.calls % slowEvery === 0 ? SLOW_MS : 0);
  if (ms > 0) await state.pause(ms);
}

interface Exchange {
  readonly route: Route | undefined;
  readonly call: Call;
  readonly response: ServerResponse;
}

async function serve(state: SimulatorState, { route, call, response }: Exchange): Promise<number> {
  const { request, uploadId } = call;
  if (route === undefined) {
    request.resume();
    const refusal = new Refusal(404, `There is no ${request.method} ${pathOf(request)} here.`);
    send(response, refusalAnswer(refusal, request, state));
    return 404;
  }
  const { operation } = route;
  const target = { operation, uploadId: uploadId || undefined };
  const instead = state.faults.take({ ...target, when: 'instead' });
  if (instead !== undefined) {
    await noteFailed(state, operation, request);
    return playFault(instead, { state, request, response });
  }
  const answer = await carryOut(state, route, call).catch(async (error: unknown) => {
    if (!(error instanceof Refusal)) throw error;
    // Its token was refused, so nothing was read of it.
    if (operation === 'search' && error.status === 401) await noteFailed(state, operation, request);
    return refusalAnswer(error, request, state);
  });
  const after = answer.status < 300 ? state.faults.take({ ...target, when: 'after' }) : undefined;
  if (after !== undefined) return playFault(after, { state, request, response, answer });
  request.resume();
  send(response, answer);
  return answer.status;
}

async function carryOut(state: SimulatorState, route: Route, call: Call): Promise<Answer> {
  if (route.operation === 'login') return route.handle(state, call);
  return route.handle(state, { ...call, subAccountId: subAccountOf(state, call.request) });
}

/** @throws Refusal 401 unless the request has a known token that has not expired. */
function subAccountOf(state: SimulatorState, request: IncomingMessage): string {
  const bearer = bearerOf(request);
  const challenge = { 'www-authenticate': 'Bearer' };
  if (bearer === undefined) throw new Refusal(401, 'A token is required.', challenge);
  const token = state.tokens.get(bearer);
  if (token === undefined) throw new Refusal(401, 'The access token is not valid.', challenge);
  if (state.settings.now() >= token.endsAt)
    throw new Refusal(401, 'The access token has expired.', challenge);
  return token.subAccountId;
}

/**
 * Reads the client's whole request before anything happens. So if its answer is lost, the client was already waiting
 * for it. A client that continues after a failed search does so for its tags only; several starts of the same media have
 * the same title.
 */
async function noteFailed(
  { recorder }: SimulatorState,
  operation: ServiceOperation,
  request: IncomingMessage,
): Promise<void> {
  if (operation !== 'search' && operation !== 'start') return finished(request.resume());
  const read = parseJson(String(await readBytes(request)));
  const body = isJsonRecord(read) ? read : {};
  const { media } = body;
  const title = isJsonRecord(media) ? media['title'] : undefined;
  if (operation === 'search') recorder.emit('search-failed', searchedTags(body));
  else recorder.emit('start-failed', typeof title === 'string' ? { title } : {});
}
