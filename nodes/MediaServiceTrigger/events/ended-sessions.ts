import { accountId } from '../../../api/account/account-id';
import { MediaServiceError, ValidationError } from '../../../api/errors';
import type { ErrorCode } from '../../../api/errors';
import { isJsonObject } from '../../../api/json';
import type { JsonObject } from '../../../api/json';
import type { Service } from '../../../api/service/service';
import { readSession } from '../../../api/upload/session/session-status';
import { sessionJson } from '../../MediaService/upload/upload-output';
import { shortId } from '../short-id';
import type { EventPoll, TriggerEvent } from '../trigger-event';

/** Each open upload costs a request per poll. */
const MOST_IDS = 1_000;
const ENDED = ['COMPLETED', 'FAILED'];
/** Failures that may be about one upload: the service, or a gateway in its place, answered. */
const ANSWERS: readonly ErrorCode[] = ['RequestRefused', 'ServiceFailed', 'UnreadableAnswer'];

/** What is remembered of the uploads that are watched; ids that are no longer among them are forgotten. */
export interface WatchState {
  /** Those whose end was told. */
  readonly told: readonly string[];
  /** Those that were told with an error: a gateway may have answered in the service's place, so their end is still looked for. */
  readonly missed: readonly string[];
  /** Those that could not be read at the poll before. */
  readonly unread: readonly string[];
  /** Where the next poll begins, so that a slow service keeps none of them waiting for ever. */
  readonly next: number;
}

/**
 * Uploads that ended, by their ids; also those that had ended when they were first looked at. An id that cannot be read at two polls
 * in a row comes once, with an `error`, and its end comes later; where no id at all can be read, the poll rejects, unless the service
 * says that it does not know them. api.md, "GET {upload_url}/upload/{uploadId}".
 */
export function endedSessions(
  service: Service,
  uploadIds: readonly string[],
  signal: AbortSignal,
): TriggerEvent {
  const ids = [...new Set(uploadIds)];
  if (ids.length === 0 || ids.length > MOST_IDS) {
    throw new ValidationError(
      'uploadIds',
      ids.length === 0 ? '"Upload IDs" is empty' : `"Upload IDs" holds ${ids.length}, more than ${MOST_IDS}`,
      'Give the IDs of uploads that were started, or watch all uploads on Temporal.',
    );
  }
  return {
    asks: { account: accountId(service.account) },
    poll: (state) => pollSessions(service, { ids, signal, state: readState(state) }),
    example: () => firstEnded(service, ids, signal),
  };
}

/** The first of them that ended; undefined: none did. Rejects if none did and one can't be read. */
export async function firstEnded(
  service: Service,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<JsonObject | undefined> {
  let failure: MediaServiceError | undefined;
  for (const uploadId of ids) {
    const seen = await look(service, uploadId, signal);
    if (seen.kind === 'ended') return seen.item;
    if (seen.kind === 'unknown' || seen.kind === 'unreadable') failure ??= seen.error;
  }
  if (failure !== undefined) throw failure;
  return undefined;
}

export interface Watch {
  readonly ids: readonly string[];
  readonly signal: AbortSignal;
  readonly state: WatchState;
}

/** One poll of these sessions, see `endedSessions`; each that ended comes once. */
export async function pollSessions(service: Service, { ids, signal, state }: Watch): Promise<EventPoll> {
  const told = new Set(state.told);
  const missed = new Set(state.missed);
  const unread: string[] = [];
  const items: JsonObject[] = [];
  const open = ids.filter((id) => !told.has(shortId(id)));
  const begin = open.length === 0 ? 0 : state.next % open.length;
  const looks = await lookAtAll(service, [...open.slice(begin), ...open.slice(0, begin)], signal);
  for (const seen of looks) {
    const key = shortId(seen.uploadId);
    if (seen.kind === 'ended') {
      told.add(key);
      items.push(seen.item);
    } else if (seen.kind !== 'open' && !missed.has(key)) {
      if (state.unread.includes(key)) {
        missed.add(key);
        items.push({ uploadId: seen.uploadId, error: seen.error.message });
      } else unread.push(key);
    }
  }
  const keys = new Set(ids.map(shortId));
  const kept = (all: ReadonlySet<string>): string[] => [...all].filter((key) => keys.has(key));
  const next = looks.length === open.length ? 0 : begin + looks.length + 1;
  return { items, state: { told: kept(told), missed: kept(missed), unread, next } };
}

type Look = { readonly uploadId: string } & (
  | { readonly kind: 'open' }
  | { readonly kind: 'ended'; readonly item: JsonObject }
  /** `unknown`: the service says so; `unreadable`: it says something else. */
  | { readonly kind: 'unknown' | 'unreadable'; readonly error: MediaServiceError }
);

/** As many as there is time for. Rejects where nothing that came tells about uploads, since the service is then down as a whole. */
async function lookAtAll(service: Service, ids: readonly string[], signal: AbortSignal): Promise<Look[]> {
  const looks: Look[] = [];
  const failures: unknown[] = [];
  for (const uploadId of ids) {
    const seen = await look(service, uploadId, signal).catch((error: unknown) => {
      if (!signal.aborted) failures.push(error);
    });
    if (seen === undefined) break;
    looks.push(seen);
    if (seen.kind === 'unreadable') failures.push(seen.error);
  }
  const isDown = failures.length > 0 && looks.every(({ kind }) => kind === 'unreadable');
  return isDown ? Promise.reject(failures[0]) : looks;
}

/** Rejects where the failure is not about this upload alone. */
function look(service: Service, uploadId: string, signal: AbortSignal): Promise<Look> {
  return readSession(service, uploadId, signal).then(
    (session): Look =>
      hasEnded(session.status)
        ? { uploadId, kind: 'ended', item: sessionJson(session, false) }
        : { uploadId, kind: 'open' },
    (error: unknown): Look | Promise<never> => {
      const isAnswer = error instanceof MediaServiceError && ANSWERS.includes(error.code);
      if (signal.aborted || !isAnswer || error.facts.operation === 'login') return Promise.reject(error);
      const isUnknown = error.facts.status === 400 || error.facts.status === 404;
      return { uploadId, kind: isUnknown ? 'unknown' : 'unreadable', error };
    },
  );
}

function hasEnded(status: string): boolean {
  return ENDED.includes(status.toUpperCase());
}

/** What an earlier poll stored; without it, as at the first one. */
export function readState(stored: unknown): WatchState {
  const state = isJsonObject(stored) ? stored : {};
  const texts = (value: unknown): string[] =>
    Array.isArray(value) ? value.filter((text) => typeof text === 'string') : [];
  const next = state['next'];
  return {
    told: texts(state['told']),
    missed: texts(state['missed']),
    unread: texts(state['unread']),
    next: typeof next === 'number' && Number.isSafeInteger(next) && next >= 0 ? next : 0,
  };
}
