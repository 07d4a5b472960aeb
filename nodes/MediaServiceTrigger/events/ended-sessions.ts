import { accountId } from '../../../api/account/account-id';
import { MediaServiceError, ValidationError } from '../../../api/errors';
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

/** What is remembered of the uploads that are watched; ids that are no longer among them are forgotten. */
interface WatchState {
  /** Those that were told about. */
  readonly told: readonly string[];
  /** Those that the service did not know at the poll before. */
  readonly unknown: readonly string[];
  /** Where the next poll begins, so that a slow service keeps none of them waiting for ever. */
  readonly next: number;
}

/**
 * Uploads that ended, by their ids; also those that had ended when they were first looked at. An id that the service does not know at
 * two polls in a row comes once, with an `error`. api.md, "GET {upload_url}/upload/{uploadId}".
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
    async example() {
      for (const uploadId of ids) {
        const session = await readSession(service, uploadId, signal);
        if (hasEnded(session.status)) return sessionJson(session, false);
      }
      return undefined;
    },
    none: 'None of these uploads has ended',
  };
}

interface Watch {
  readonly ids: readonly string[];
  readonly signal: AbortSignal;
  readonly state: WatchState;
}

async function pollSessions(service: Service, { ids, signal, state }: Watch): Promise<EventPoll> {
  const told = new Set(state.told);
  const unknown = new Set<string>();
  const items: JsonObject[] = [];
  const open = ids.filter((id) => !told.has(shortId(id)));
  const begin = open.length === 0 ? 0 : state.next % open.length;
  let read = 0;
  for (const uploadId of [...open.slice(begin), ...open.slice(0, begin)]) {
    if (signal.aborted) break;
    const key = shortId(uploadId);
    const seen = await look(service, uploadId, signal);
    if (seen === 'outOfTime') break;
    read += 1;
    if (seen === undefined) continue;
    if ('error' in seen && !state.unknown.includes(key)) {
      unknown.add(key);
      continue;
    }
    told.add(key);
    items.push(seen);
  }
  const keys = new Set(ids.map(shortId));
  const kept = { told: [...told].filter((key) => keys.has(key)), unknown: [...unknown] };
  return { items, state: { ...kept, next: read === open.length ? 0 : begin + read } };
}

/** The upload where it ended or is not known; undefined where it goes on. */
async function look(
  service: Service,
  uploadId: string,
  signal: AbortSignal,
): Promise<JsonObject | undefined | 'outOfTime'> {
  return readSession(service, uploadId, signal).then(
    (session) => (hasEnded(session.status) ? sessionJson(session, false) : undefined),
    (error: unknown) => {
      if (signal.aborted) return 'outOfTime';
      const refused = error instanceof MediaServiceError && error.code === 'RequestRefused';
      return refused ? { uploadId, error: error.message } : Promise.reject(error);
    },
  );
}

function hasEnded(status: string): boolean {
  return ENDED.includes(status.toUpperCase());
}

function readState(stored: unknown): WatchState {
  const state = isJsonObject(stored) ? stored : {};
  const texts = (value: unknown): string[] =>
    Array.isArray(value) ? value.filter((text) => typeof text === 'string') : [];
  const next = state['next'];
  return {
    told: texts(state['told']),
    unknown: texts(state['unknown']),
    next: typeof next === 'number' && Number.isSafeInteger(next) && next >= 0 ? next : 0,
  };
}
