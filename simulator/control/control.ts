import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal, send } from '../http/answer';
import { StorageRefusal } from '../storage/s3-error';
import { describeObject } from '../storage/storage';
import { partsOf } from '../uploads/session';
import type { SimulatorState } from '../state';

const PATH = '/__simulator';

interface ControlCall {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
}

type Action = (state: SimulatorState, call: ControlCall) => Promise<unknown>;

/** Requests with which other processes can watch and control a simulator, without a token. README.md lists them. */
const ACTIONS: Readonly<Record<string, Action>> = {
  'GET ': async (state) => seenOf(state),
  'GET /wait': waitForEvent,
  'GET /object': async (state, { url }) => describeObject(state.storage, url.searchParams.get('key') ?? ''),
  'POST /release': async (state) => ({ released: state.gates.release() }),
};

export function isControlPath(path: string): boolean {
  return path === PATH || path.startsWith(`${PATH}/`);
}

/** Answers a control request. Never records it among the requests that the simulator saw. */
export async function control(state: SimulatorState, call: ControlCall): Promise<void> {
  const name = `${call.request.method ?? ''} ${call.url.pathname.slice(PATH.length).replace(/\/$/, '')}`;
  const action = ACTIONS[name];
  try {
    if (action === undefined) throw new Refusal(404, `There is no control "${name}".`);
    sendJson(call.response, 200, await action(state, call));
  } catch (error) {
    if (!(error instanceof StorageRefusal || error instanceof Refusal)) throw error;
    sendJson(call.response, error instanceof Refusal ? error.status : 400, { error: error.message });
  }
}

/** Long poll: the first event of this name, past or future. Null if none comes within `timeoutMs` (default 30 s). */
async function waitForEvent(
  { recorder, closing }: SimulatorState,
  { url, response }: ControlCall,
): Promise<unknown> {
  const left = new AbortController();
  response.once('close', () => left.abort());
  const timeout = AbortSignal.timeout(Number(url.searchParams.get('timeoutMs') ?? 30_000));
  const signal = AbortSignal.any([timeout, left.signal, closing]);
  const name = url.searchParams.get('event');
  // Null: no event came in time.
  return recorder.waitFor(({ event }) => event === name, signal).catch(() => null);
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  send(response, { status, headers: { 'content-type': 'application/json' }, text: JSON.stringify(body) });
}

/**
 * Everything that a simulator saw. Contains no token, secret or URL's query. Plain JSON: the answer of `GET
 * /__simulator`.
 */
export type Seen = ReturnType<typeof seenOf>;

export function seenOf({ recorder, sessions, faults, media, deliveries, settings }: SimulatorState) {
  const all = [...sessions.values()];
  const sum = (count: 'completesAccepted' | 'completesRefused'): number =>
    all.reduce((total, session) => total + session[count], 0);
  return {
    ...structuredClone(recorder.counts),
    completesAccepted: sum('completesAccepted'),
    completesRefused: sum('completesRefused'),
    /** Must stay empty: requests to storage with an Authorization header. */
    bearerToStorage: [...recorder.bearerToStorage],
    sessions: all.map((session) => ({
      uploadId: session.uploadId,
      mediaId: session.item.id,
      keyName: session.keyName,
      title: session.item.title,
      tags: session.item.tags,
      status: session.status,
      failureReason: session.failureReason,
      amountOfParts: session.amountOfParts,
      completesAccepted: session.completesAccepted,
      completesRefused: session.completesRefused,
      /** Ascending by part number. */
      parts: partsOf(session).map(({ partNumber, eTag, bytes, puts }) => ({ partNumber, eTag, bytes, puts })),
    })),
    /** Number of media of the account's own sub-account. */
    media: media.filter(({ subAccountId }) => subAccountId === settings.account.externalId).length,
    deliveries: deliveries.length,
    /** `struck`: how often each fault was applied. */
    faults: { armed: faults.armed(), struck: { ...recorder.faults } },
  };
}
