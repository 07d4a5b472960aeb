import { accountId } from '../../../api/account';
import { MediaServiceError } from '../../../api/errors';
import { canonicalJson, isJsonObject } from '../../../api/json';
import type { JsonObject } from '../../../api/json';
import type { MediaFilter } from '../../../api/media/media-filter';
import { eachMediaPage, searchMedia } from '../../../api/media/media-search';
import { MAX_PAGE_SIZE } from '../../../api/pages/each-page';
import { readStablePages } from '../../../api/pages/read-stable-pages';
import type { StableRecords } from '../../../api/pages/read-stable-pages';
import type { Service } from '../../../api/service/service';
import { shortId } from '../poll/cursor';
import type { EventPoll, TriggerEvent } from './trigger-event';
import { mediaIdReader } from './media-id';

/** About 300 KB of static data. */
const MAX_KNOWN = 20_000;
/** Extra tries of the first read. Each one is up to three passes already. */
const MAX_AGAIN = 3;

interface NewMedia {
  readonly filter: MediaFilter;
  readonly idField?: string;
  /** The media item in the form for the output. */
  readonly present: (media: JsonObject) => JsonObject;
  readonly limit: number;
  readonly signal: AbortSignal;
}

/**
 * Media that match the filter and did not exist before, recognised by their ids. The first poll notes what exists, and
 * each poll reads all media that match. Also reports media that begin to match. api.md, "POST
 * {base_url}/api/media/search".
 */
export function newMedia(
  service: Service,
  { filter, idField, present, limit, signal }: NewMedia,
): TriggerEvent {
  const idOf = mediaIdReader(idField);
  return {
    asks: { account: accountId(service.account), filter: canonicalJson(filter), id: idField ?? null },
    async poll(state) {
      const known = readKnown(state);
      const read = (): Promise<StableRecords> => readAll(service, { filter, idOf, signal });
      if (known === undefined) return { state: { known: await keysOfExisting(read) }, items: [] };
      const { state: after, items } = takeMedia((await read()).records, known, limit);
      return { state: after, items: items.map(present) };
    },
    async example() {
      const { items } = await searchMedia(service, filter, { size: 1, signal });
      return items.map(present)[0];
    },
  };
}

interface AllMedia extends Pick<NewMedia, 'filter' | 'signal'> {
  readonly idOf: (media: JsonObject) => string;
}

async function readAll(service: Service, { filter, idOf, signal }: AllMedia): Promise<StableRecords> {
  const read = await readStablePages({
    pages: () => eachMediaPage(service, filter, { size: MAX_PAGE_SIZE, signal }),
    identity: idOf,
    maxItems: MAX_KNOWN,
  });
  if (read === 'tooMany') throw tooMany();
  return read;
}

/**
 * If the first read is incomplete, skipped media would later count as new. So it reads again, and media from any of
 * the reads count as known.
 */
async function keysOfExisting(read: () => Promise<StableRecords>): Promise<string[]> {
  const keys = new Set<string>();
  for (let reading = 0; reading <= MAX_AGAIN; reading += 1) {
    const { records, complete } = await read();
    for (const id of records.keys()) keys.add(shortId(id));
    if (complete) break;
  }
  return [...keys];
}

/** Takes unknown media, up to the limit of one poll. Only these become known. */
function takeMedia(
  records: ReadonlyMap<string, JsonObject>,
  known: readonly string[],
  limit: number,
): EventPoll {
  const keys = [...records.keys()].map(shortId);
  const before = new Set(known);
  const newMedia = [...records].filter(([id]) => !before.has(shortId(id))).slice(0, limit);
  const present = new Set(keys);
  // Missing media may come back, for example if a page skipped them. They are forgotten only when there is no more
  // space.
  const kept = known.length + newMedia.length > MAX_KNOWN ? known.filter((key) => present.has(key)) : known;
  return {
    state: { known: [...kept, ...newMedia.map(([id]) => shortId(id))] },
    items: newMedia.map(([, media]) => media),
  };
}

function readKnown(state: unknown): string[] | undefined {
  const known = isJsonObject(state) ? state['known'] : undefined;
  return Array.isArray(known) ? known.filter((key) => typeof key === 'string') : undefined;
}

function tooMany(): MediaServiceError {
  return new MediaServiceError('Configuration', `More than ${MAX_KNOWN} media match the filters`, {
    hint: 'Without "Date Property", the trigger remembers the IDs of all matching media. Narrow the filters, or set that option.',
  });
}
