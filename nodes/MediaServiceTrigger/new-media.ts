import { accountId } from '../../api/account';
import { MediaServiceError } from '../../api/errors';
import { canonicalJson, isJsonObject, textAt } from '../../api/json';
import type { JsonObject } from '../../api/json';
import type { MediaFilter } from '../../api/media/media-filter';
import { eachMediaPage, searchMedia } from '../../api/media/media-search';
import { MAX_PAGE_SIZE, readAgainIfFewer } from '../../api/pages/each-page';
import type { Service } from '../../api/service/service';
import { shortId } from './cursor';
import type { TriggerEvent } from './period-event';

/** About 300 KB of static data. */
const MAX_KNOWN = 20_000;
const ID_FIELDS = ['id', 'mediaId', 'uuid', '_id'];

interface NewMedia {
  readonly filter: MediaFilter;
  readonly idField: string | undefined;
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
  return {
    asks: { account: accountId(service.account), filter: canonicalJson(filter), id: idField ?? null },
    async poll(state) {
      const idOf = idReader(idField);
      // All that match, by their short ids.
      const media = await readAgainIfFewer(async () => {
        const found = new Map<string, JsonObject>();
        for await (const page of eachMediaPage(service, filter, { size: MAX_PAGE_SIZE, signal })) {
          for (const one of page.items) found.set(shortId(idOf(one)), one);
          if (Math.max(found.size, page.totalElements ?? 0) > MAX_KNOWN) throw tooMany();
        }
        return found;
      });
      const known = readKnown(state);
      if (known === undefined) return { state: { known: [...media.keys()] }, items: [] };
      const before = new Set(known);
      const found = [...media].filter(([id]) => !before.has(id)).slice(0, limit);
      // Missing media may come back, for example if a page skipped them, so they stay known while there is space.
      const kept = known.length + found.length > MAX_KNOWN ? known.filter((id) => media.has(id)) : known;
      return {
        state: { known: [...kept, ...found.map(([id]) => id)] },
        items: found.map(([, one]) => present(one)),
      };
    },
    async example() {
      const { items } = await searchMedia(service, filter, { size: 1, signal });
      return items.map(present)[0];
    },
  };
}

function tooMany(): MediaServiceError {
  return new MediaServiceError('Configuration', `More than ${MAX_KNOWN} media match the filters`, {
    hint: 'The trigger remembers the IDs of all matching media. Narrow the filters.',
  });
}

/** Throws if there is no such field, because changed media would then count as new. */
function idReader(field: string | undefined): (media: JsonObject) => string {
  const paths = field === undefined ? ID_FIELDS : [field];
  return (media) => {
    const id = textAt(media, paths);
    if (id !== undefined) return id;
    throw new MediaServiceError('UnreadableAnswer', `The media have no ID under ${paths.join(', ')}`, {
      hint: `Name the field in the option "ID Field". The fields are: ${Object.keys(media).join(', ').slice(0, 300)}.`,
    });
  };
}

function readKnown(state: unknown): string[] | undefined {
  const known = isJsonObject(state) ? state['known'] : undefined;
  return Array.isArray(known) ? known.filter((id) => typeof id === 'string') : undefined;
}
