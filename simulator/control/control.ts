import type { IncomingMessage, ServerResponse } from 'node:http';
import { UnknownFault } from '../faults/fault-book';
import { Refusal, send } from '../http/answer';
import { readText } from '../http/request-body';
import { isJsonRecord, parseJson } from '../json';
import { describeObject } from '../storage/describe-object';
import { StorageRefusal } from '../storage/storage';
import { seenOf } from './seen';
import { addDelivery } from '../webhooks/add-delivery';
import type { SimulatorState } from '../state';
import type { SimulatorEvent } from './recorder';

const TEXTS = ['event', 'operation', 'uploadId', 'mediaId', 'fault', 'reason'] as const;
const NUMBERS = ['part', 'status'] as const;

const PATH = '/__simulator';
const LONGEST_WAIT_MS = 120_000;

interface ControlCall {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
}

type Action = (state: SimulatorState, call: ControlCall) => Promise<unknown>;

/** Requests with which tests in other processes can control a simulator, without a token. README.md lists them. */
const ACTIONS: Readonly<Record<string, Action>> = {
  'GET ': async (state) => seenOf(state),
  'GET /events': async (state, { url }) =>
    state.recorder.events().filter(({ seq }) => seq > Number(url.searchParams.get('after') ?? 0)),
  'GET /wait': waitForEvent,
  'GET /object': async (state, { url }) => describeObject(state.storage, url.searchParams.get('key') ?? ''),
  'POST /fault': armFaults,
  'POST /clear-faults': async (state) => done(() => state.faults.clear()),
  'POST /expire-tokens': async (state) => done(() => state.tokens.expireAll()),
  'POST /expire-urls': async (state) => done(() => state.storage.expireUrls()),
  'POST /release': async (state) => ({ released: state.gates.release() }),
  'POST /delivery': async (state, { request }) => addDelivery(state, parseJson(await readText(request))),
};

export function isControlPath(path: string): boolean {
  return path === PATH || path.startsWith(`${PATH}/`);
}

/** Answers a control request. Never records it among the requests that the simulator saw. */
export async function control(state: SimulatorState, call: ControlCall): Promise<void> {
  const name = `${call.request.method ?? ''} ${call.url.pathname.slice(PATH.length).replace(/\/$/, '')}`;
  const action = ACTIONS[name];
  if (action === undefined) {
    sendJson(call.response, 404, { error: `There is no control "${name}".` });
    return;
  }
  try {
    sendJson(call.response, 200, await action(state, call));
  } catch (error) {
    const isExpected =
      error instanceof Refusal || error instanceof UnknownFault || error instanceof StorageRefusal;
    if (!isExpected) throw error;
    sendJson(call.response, 400, { error: error.message });
  }
}

function done(act: () => void): { done: true } {
  act();
  return { done: true };
}

/** The body is the fault's text, or JSON {"fault": "…"} or {"faults": ["…"]}. */
async function armFaults(state: SimulatorState, { request }: ControlCall): Promise<unknown> {
  const text = (await readText(request)).trim();
  const body = parseJson(text);
  const named = isJsonRecord(body) ? (body['faults'] ?? body['fault'] ?? null) : text;
  for (const fault of Array.isArray(named) ? named : [named]) {
    if (typeof fault !== 'string') throw new Refusal(400, 'A fault is named by text.');
    state.faults.arm(fault);
  }
  return { armed: state.faults.armed() };
}

/**
 * Long poll: returns the first event, past or future, that matches the query. Null if none comes within `timeoutMs`
 * (default 30 s).
 */
async function waitForEvent(
  { recorder, closing }: SimulatorState,
  { url, response }: ControlCall,
): Promise<unknown> {
  const asked = Number(url.searchParams.get('timeoutMs') ?? 30_000);
  const timeout = AbortSignal.timeout(Math.min(Number.isFinite(asked) ? asked : 30_000, LONGEST_WAIT_MS));
  const left = new AbortController();
  response.once('close', () => left.abort());
  const signal = AbortSignal.any([timeout, left.signal, closing]);
  // Null: no event came in time.
  return recorder.waitFor(eventFilter(url.searchParams), signal).catch(() => null);
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  send(response, { status, headers: { 'content-type': 'application/json' }, text: JSON.stringify(body) });
}

/**
 * Makes a test of one event from a query such as `event=held&part=3`: the event must have every given value.
 * `after=SEQ` excludes older events, `count=N` waits for the Nth match.
 * @throws Refusal naming an unknown parameter.
 */
function eventFilter(query: URLSearchParams): (event: SimulatorEvent) => boolean {
  const known: readonly string[] = [...TEXTS, ...NUMBERS, 'after', 'count', 'timeoutMs'];
  for (const key of query.keys()) {
    if (!known.includes(key)) throw new Refusal(400, `Unknown query parameter: ${key}.`);
  }
  const after = Number(query.get('after') ?? 0);
  let missing = Number(query.get('count') ?? 1);
  return (event) => {
    const fits =
      event.seq > after &&
      [...TEXTS, ...NUMBERS].every((key) => !query.has(key) || query.get(key) === String(event[key]));
    if (fits) missing -= 1;
    return fits && missing <= 0;
  };
}
