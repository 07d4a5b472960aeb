import { accountId } from '../../../api/account';
import { MediaServiceError, ValidationError } from '../../../api/errors';
import type { ErrorCode } from '../../../api/errors';
import { isJsonObject } from '../../../api/json';
import type { JsonObject } from '../../../api/json';
import type { Service } from '../../../api/service/service';
import { isUnknownSession } from '../../../api/upload/session/session';
import { readSession } from '../../../api/upload/session/poll-session';
import { sessionJson } from '../../MediaService/upload/upload-output';
import { shortId } from '../poll/cursor';
import type { EventPoll, TriggerEvent } from './trigger-event';

/** Limited, because each open upload costs a request per poll. */
const MAX_IDS = 1_000;
const ENDED = ['COMPLETED', 'FAILED'];
/** Failures that may concern only one upload, because the service or a gateway answered. */
const ANSWERS: readonly ErrorCode[] = ['RequestRefused', 'ServiceFailed', 'UnreadableAnswer'];

/** What the trigger remembers of the watched uploads. Ids that are no longer watched are forgotten. */
interface WatchState {
  /** Uploads whose end was reported. */
  readonly reported: readonly string[];
  /**
   * Uploads that were reported with an error. A gateway may have answered instead of the service, so the trigger still
   * looks for their end.
   */
  readonly missed: readonly string[];
  /** Uploads that the previous poll could not read. */
  readonly unread: readonly string[];
  /** The index at which the next poll begins, so that with a slow service every upload is read at some time. */
  readonly next: number;
}

/**
 * Reports uploads that ended, by their ids, including those that had ended before the first poll. An id that can't be
 * read at two polls in a row is reported once with an `error`, and later with its end. If no id can be read, the poll
 * rejects, unless the service says that it does not know them. api.md, "GET {upload_url}/upload/{uploadId}".
 */
export function endedSessions(
  service: Service,
  uploadIds: readonly string[],
  signal: AbortSignal,
): TriggerEvent {
  const ids = [...new Set(uploadIds)];
  if (ids.length === 0 || ids.length > MAX_IDS) {
    throw new ValidationError(
      'uploadIds',
      ids.length === 0 ? '"Upload IDs" is empty' : `"Upload IDs" holds ${ids.length}, more than ${MAX_IDS}`,
      'Enter fewer IDs, or watch all uploads on workers.',
    );
  }
  return {
    asks: { account: accountId(service.account) },
    poll: (state) => pollSessions(service, { ids, signal, state: readState(state) }),
    example: () => firstEnded(service, ids, signal),
  };
}

/** The first upload that ended, or undefined if none did. Rejects if none did and one can't be read. */
async function firstEnded(
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

interface Watch {
  readonly ids: readonly string[];
  readonly signal: AbortSignal;
  readonly state: WatchState;
}

/** One poll of these sessions, see `endedSessions`. Each ended session is reported once. */
async function pollSessions(service: Service, { ids, signal, state }: Watch): Promise<EventPoll> {
  const reported = new Set(state.reported);
  const missed = new Set(state.missed);
  const unread: string[] = [];
  const items: JsonObject[] = [];
  const open = ids.filter((id) => !reported.has(shortId(id)));
  const begin = open.length === 0 ? 0 : state.next % open.length;
  const looks = await lookAtAll(service, [...open.slice(begin), ...open.slice(0, begin)], signal);
  for (const seen of looks) {
    const key = shortId(seen.uploadId);
    if (seen.kind === 'ended') {
      reported.add(key);
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
  return { items, state: { reported: kept(reported), missed: kept(missed), unread, next } };
}

type Look = { readonly uploadId: string } & (
  | { readonly kind: 'open' }
  | { readonly kind: 'ended'; readonly item: JsonObject }
  /** `unknown`: the service does not know the id. `unreadable`: it returns something else. */
  | { readonly kind: 'unknown' | 'unreadable'; readonly error: MediaServiceError }
);

/**
 * Reads as many sessions as there is time for. Rejects if no answer is about an upload, because then the whole service
 * is down.
 */
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

/** Rejects if the failure does not concern only this upload. */
function look(service: Service, uploadId: string, signal: AbortSignal): Promise<Look> {
  return readSession(service, uploadId, signal).then(
    (session): Look =>
      hasEnded(session.status)
        ? { uploadId, kind: 'ended', item: sessionJson(session, false) }
        : { uploadId, kind: 'open' },
    (error: unknown): Look | Promise<never> => {
      const isAnswer = error instanceof MediaServiceError && ANSWERS.includes(error.code);
      if (signal.aborted || !isAnswer || error.facts.operation === 'login') return Promise.reject(error);
      return { uploadId, kind: isUnknownSession(error.facts) ? 'unknown' : 'unreadable', error };
    },
  );
}

function hasEnded(status: string): boolean {
  return ENDED.includes(status.toUpperCase());
}

/** The state of an earlier poll. Without one, the initial state. */
function readState(stored: unknown): WatchState {
  const state = isJsonObject(stored) ? stored : {};
  const texts = (value: unknown): string[] =>
    Array.isArray(value) ? value.filter((text) => typeof text === 'string') : [];
  const next = state['next'];
  return {
    reported: texts(state['reported']),
    missed: texts(state['missed']),
    unread: texts(state['unread']),
    next: typeof next === 'number' && Number.isSafeInteger(next) && next >= 0 ? next : 0,
  };
}
