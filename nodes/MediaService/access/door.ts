import type { IExecuteFunctions, IPollFunctions } from 'n8n-workflow';
import { readText } from '../../../api/answers/read-answer';
import { SECOND_MS } from '../../../api/clock';
import { n8nClock } from '../../../n8n/n8n-clock';
import { ConfigurationError, ERROR_CODES, MediaServiceError, TransportError } from '../../../api/errors';
import type { ErrorFacts, Outcome } from '../../../api/errors';
import { given, isJsonObject, parsedJson } from '../../../api/json';
import type { JsonObject } from '../../../api/json';
import { retryAfterMs, withRetries } from '../../../api/retry';
import type { HttpAnswer, HttpRequest, RequestStream, Transport } from '../../../api/transport/transport';
import { allowedDomainsOf } from '../../../n8n/allowed-domains';
import { createN8nTransport } from '../../../n8n/n8n-transport';
import type { HttpHelper } from '../../../n8n/n8n-transport';

export const WORKER_CREDENTIAL = 'mediaServiceWorkerApi';
const NAME = 'the credential "Media Service Worker API"';

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** The HTTP door of a worker. Each call is repeated, because starts and controls are idempotent by their ids. */
export interface Door {
  /** The address without the path, as the credential names it. */
  readonly url: string;
  get(path: string, query?: Query, retryForMs?: number): Promise<JsonObject>;
  /** `once`: what may have arrived is not repeated. A stream is sent as a file of unknown type. */
  post(path: string, body?: object | RequestStream, options?: PostOptions): Promise<JsonObject>;
  /** The objects of an answer with one per line. */
  lines(path: string, query?: Query): AsyncGenerator<JsonObject>;
  /** The items of all pages of a list, up to a limit. */
  list(path: string, query: Query, limit: number): Promise<JsonObject[]>;
}

interface PostOptions {
  readonly query?: Query;
  readonly once?: boolean;
}

interface DoorCall extends PostOptions {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object | RequestStream | undefined;
  readonly retryForMs?: number | undefined;
}

interface WorkerRequest {
  /** What needs the worker. */
  readonly what: string;
  /** What to do if no credential is chosen. */
  readonly todo: string;
  /** Unset: the credential of the whole node. */
  readonly itemIndex?: number;
  readonly signal: AbortSignal | undefined;
}

/** The worker that the node's credential names. Without one, rejects with an error that says what to do. */
export async function workerOf(
  context: IExecuteFunctions | IPollFunctions,
  { what, todo, itemIndex, signal }: WorkerRequest,
): Promise<Door> {
  if (context.getNode().credentials?.[WORKER_CREDENTIAL] === undefined)
    throw new ConfigurationError(WORKER_CREDENTIAL, `${what} needs ${NAME}`, todo);
  const data = await context.getCredentials<Record<string, unknown>>(WORKER_CREDENTIAL, itemIndex);
  return openDoor(context.helpers, data, signal);
}

/** The path of an upload or a batch, or of one of its operations. */
export function pathOf(list: 'uploads' | 'batches', id: string, operation?: string): string {
  const path = `/v1/${list}/${encodeURIComponent(id)}`;
  return operation === undefined ? path : `${path}/${operation}`;
}

const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
const MAX_PAGE = 1_000;
/** What an answer may take longer than the wait that was asked for: the start of a batch looks for its plan. */
const ANSWER_MS = 60_000;

/** The door that the credential names. It sends with n8n's HTTP helper. */
export function openDoor(
  helper: HttpHelper,
  data: Readonly<Record<string, unknown>>,
  signal: AbortSignal | undefined,
): Door {
  const { url, token } = addressOf(data);
  const transport = createN8nTransport(helper, allowedDomainsOf(data));
  const way: Way = { url, transport, authorization: `Bearer ${token}`, signal };
  return {
    url,
    get: (path, query, retryForMs) => ask(way, { method: 'GET', path, ...given({ query, retryForMs }) }),
    post: (path, body, options = {}) => ask(way, { method: 'POST', path, body, ...options }),
    lines: (path, query) => linesOf(way, { method: 'GET', path, ...given({ query }) }),
    list: (path, query, limit) => listOf(way, { method: 'GET', path, query }, limit),
  };
}

interface Way extends Pick<Door, 'url'> {
  readonly transport: Transport;
  readonly authorization: string;
  readonly signal: AbortSignal | undefined;
}

async function ask(way: Way, call: DoorCall): Promise<JsonObject> {
  const { status, body } = await send(way, call);
  const answer = parsedJson(await readText(body, MAX_ANSWER_BYTES));
  if (isJsonObject(answer)) return answer;
  throw notADoor(way.url, status);
}

async function listOf(way: Way, call: DoorCall, limit: number): Promise<JsonObject[]> {
  const found: JsonObject[] = [];
  let page: string | undefined;
  do {
    const query = { ...call.query, limit: Math.min(MAX_PAGE, limit - found.length), page };
    const { items, next } = await ask(way, { ...call, query });
    if (!Array.isArray(items)) throw notADoor(way.url, 200);
    found.push(...items.filter(isJsonObject));
    page = typeof next === 'string' ? next : undefined;
  } while (page !== undefined && found.length < limit);
  return found;
}

async function* linesOf(way: Way, call: DoorCall): AsyncGenerator<JsonObject> {
  const { status, body } = await send(way, call);
  const decoder = new TextDecoder();
  let rest = '';
  // Leaving the loop closes the connection.
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const row = parsedJson(line);
      if (!isJsonObject(row)) throw notADoor(way.url, status);
      yield row;
    }
  }
  if (rest !== '') throw notADoor(way.url, status);
}

function send(way: Way, call: DoorCall): Promise<HttpAnswer> {
  const isFinal = ({ outcome }: MediaServiceError): boolean => call.once === true && outcome === 'ambiguous';
  const { signal } = way;
  return withRetries({ clock: n8nClock, signal, retryForMs: call.retryForMs ?? 0, isFinal }, () =>
    sendOnce(way, call),
  );
}

async function sendOnce(way: Way, { method, path, query = {}, body }: DoorCall): Promise<HttpAnswer> {
  const { url, transport, authorization, signal } = way;
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries(given(query))) asked.set(name, String(value));
  const request: HttpRequest = {
    method,
    url: `${url}${path}${asked.size === 0 ? '' : `?${asked.toString()}`}`,
    headers: { authorization },
    signal,
    timeouts: { headersMs: Number(query['wait'] ?? 0) * SECOND_MS + ANSWER_MS },
  };
  const answer = await transport.send({ ...request, ...sentBody(request, body) }).catch((error: unknown) => {
    throw error instanceof TransportError ? unreached(url, error) : error;
  });
  if (answer.status >= 200 && answer.status < 300) return answer;
  throw refusal(url, answer, await readText(answer.body, MAX_ANSWER_BYTES));
}

function sentBody(
  { headers }: HttpRequest,
  body: object | RequestStream | undefined,
): Pick<HttpRequest, 'headers' | 'body'> {
  if (body === undefined) return { headers };
  if ('open' in body) return { headers: { ...headers, 'content-type': 'application/octet-stream' }, body };
  return { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

function addressOf({ url, token }: Readonly<Record<string, unknown>>): { url: string; token: string } {
  const [address = '', key = ''] = [url, token].map((text) => (typeof text === 'string' ? text.trim() : ''));
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) {
    throw new ConfigurationError(
      'workerUrl',
      `"URL" of ${NAME} is not an address`,
      'Write it in full, for example https://worker.example:8090.',
    );
  }
  if (key === '') throw new ConfigurationError('workerToken', `"Token" of ${NAME} is empty`, NEW_TOKEN);
  return { url: address.replace(/(?<!\/)\/+$/, ''), token: key };
}

const NEW_TOKEN = `Make one with \`media-service tokens create\` on the worker, and put it into ${NAME}.`;
const CHECK_URL = `Check "URL" of ${NAME}: it is the address that \`media-service worker --http\` prints.`;

function unreached(url: string, error: TransportError): MediaServiceError {
  const { code, facts, message } = error;
  // n8n itself refuses the address.
  const own = facts.details?.['permanent'] === true ? facts.hint : undefined;
  const hint = own ?? `Run \`media-service worker --http …\` where n8n reaches it. ${CHECK_URL}`;
  const what = `The worker at ${url} can't be reached: ${message}`;
  return new MediaServiceError(code, what, { ...facts, hint }, { cause: error });
}

function notADoor(url: string, status: number): MediaServiceError {
  const what = `No worker answers at ${url}, but something else (${status})`;
  return new MediaServiceError('UnreadableAnswer', what, { outcome: 'refused', hint: CHECK_URL });
}

/** A gateway in front of the door, while the worker restarts. */
const GATEWAY: readonly number[] = [502, 503, 504];

function refusal(url: string, { status, headers }: HttpAnswer, text: string): MediaServiceError {
  const wait = given({ retryAfterMs: retryAfterMs(headers, n8nClock.now()) });
  const outcome: Outcome = status < 500 || status === 503 ? 'refused' : 'ambiguous';
  const answer = parsedJson(text);
  const failure = isJsonObject(answer) ? failureOf(answer['error'], { ...wait, outcome }) : undefined;
  if (failure === undefined) {
    if (!GATEWAY.includes(status)) return notADoor(url, status);
    const what = `The worker at ${url} is away: something in front of it answered ${status}`;
    const hint = 'Check that `media-service worker --http` is running.';
    return new MediaServiceError('ServiceFailed', what, { outcome: 'ambiguous', hint, ...wait });
  }
  const { code, message, facts } = failure;
  if (status === 401) {
    const what = `The worker does not accept the token. ${message}`;
    return new MediaServiceError(code, what, { ...facts, status, hint: NEW_TOKEN });
  }
  if (status !== 403 || code !== 'Unauthorized') return failure;
  const hint = `Use a token with this right (\`media-service tokens create … --rights\`) in ${NAME}.`;
  return new MediaServiceError(code, message, { ...facts, hint });
}

/**
 * The error that an answer of the door has. n8n's own words replace those that the door has for every client. Undefined
 * for another shape.
 */
export function failureOf(error: unknown, more: ErrorFacts = {}): MediaServiceError | undefined {
  if (!isJsonObject(error)) return undefined;
  const { code, message, hint: said, advice: hint = said, ...facts } = error;
  if (typeof code !== 'string' || typeof message !== 'string') return undefined;
  const known = ERROR_CODES.find((one) => one === code) ?? 'RequestRefused';
  // The worker's own facts, as it would have thrown them.
  const own = facts as ErrorFacts;
  return new MediaServiceError(known, message, {
    ...own,
    ...given({ hint: typeof hint === 'string' ? hint : undefined }),
    ...more,
  });
}
