import { MediaServiceError } from '../../errors';
import { given, isJsonObject, textAt } from '../../json';
import type { JsonObject } from '../../json';
import { mediaTags } from '../../media/media-filter';
import { searchMedia } from '../../media/media-search';
import { mayTryAgain } from '../../retry';
import type { Service } from '../../service/service';
import type { Orphan, OrphanSearch } from '../upload-steps';

/** Pause between the two searches, ms: an index may lag behind. */
const PAUSE_MS = 10_000;
const PAGE_SIZE = 100;
const REASON = 'it was made by a start whose answer was lost';
const UNVERIFIABLE: OrphanSearch = { orphans: [], verifiable: false };

/**
 * Searches by the ingest-key tag for media that a lost `start` created: twice, seconds apart, active or not. It does
 * not report ids in `known`. "Found none" never means "does not exist". `verifiable` is false if the tag is turned
 * off, search is refused, or a found medium does not show the tag. It is also false if there may be more than one page.
 * Rejects only for failures that may pass. docs/decisions/start-and-complete.
 */
export async function findOrphans(
  service: Service,
  { ingestKey, known }: { readonly ingestKey: string; readonly known: readonly string[] },
  signal?: AbortSignal,
): Promise<OrphanSearch> {
  const orphans = new Map<string, Orphan>();
  try {
    const first = await searchByKey(service, { ingestKey, signal });
    if (first === undefined) return UNVERIFIABLE;
    await service.clock.sleep(PAUSE_MS, signal);
    const second = await searchByKey(service, { ingestKey, signal });
    for (const item of [...first.own, ...(second?.own ?? [])]) {
      const { uploadId, mediaId } = idsOf(item);
      if (known.includes(mediaId ?? '') || known.includes(uploadId ?? '')) continue;
      orphans.set(JSON.stringify([mediaId, uploadId]), { ...given({ uploadId, mediaId }), reason: REASON });
    }
    return { orphans: [...orphans.values()], verifiable: first.isCertain && second?.isCertain === true };
  } catch (error) {
    const isRefused = error instanceof MediaServiceError && error.outcome === 'refused';
    if (!isRefused || mayTryAgain(error, 1)) throw error;
    return UNVERIFIABLE;
  }
}

/**
 * Returns the ids of all media that have this ingest key now: none of them comes from a later `start`. Empty if nothing
 * can be found, because an upload needs no search.
 */
export async function idsOfKey(service: Service, ingestKey: string, signal?: AbortSignal): Promise<string[]> {
  try {
    const found = await searchByKey(service, { ingestKey, signal });
    const ids = found?.own.map(idsOf).flatMap(({ uploadId, mediaId }) => [uploadId, mediaId]) ?? [];
    return ids.filter((id) => id !== undefined);
  } catch (error) {
    if (error instanceof MediaServiceError && error.code !== 'Cancelled') return [];
    throw error;
  }
}

interface KeySearch {
  readonly ingestKey: string;
  readonly isActive?: true | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface FoundMedia {
  readonly own: readonly JsonObject[];
  /** False: the search ignores the tag, or shows only the first of several pages, so it may hide one. */
  readonly isCertain: boolean;
}

/** Searches for media with this ingest key. Undefined: the ingest tag is turned off. */
export async function searchByKey(
  service: Service,
  { ingestKey, isActive, signal }: KeySearch,
): Promise<FoundMedia | undefined> {
  const { ingestTag } = service.options;
  if (ingestTag === false) return undefined;
  const filter = { tags: { [ingestTag]: ingestKey }, ...given({ isActive }) };
  const { items, totalElements } = await searchMedia(service, filter, { size: PAGE_SIZE, signal });
  const own = items.filter((item) => carriesKey(item, ingestTag, ingestKey));
  const isWhole = totalElements === undefined ? items.length < PAGE_SIZE : items.length >= totalElements;
  return { own, isCertain: own.length === items.length && isWhole };
}

/** A service may list tags as pairs, and give a tag a list of values. */
function carriesKey(item: JsonObject, ingestTag: string, ingestKey: string): boolean {
  const { tags } = item;
  const value = Array.isArray(tags)
    ? tags.filter(isJsonObject).find((one) => one['key'] === ingestTag || one['name'] === ingestTag)?.[
        'value'
      ]
    : mediaTags(item)[ingestTag];
  return Array.isArray(value) ? value.includes(ingestKey) : value === ingestKey;
}

function idsOf(item: JsonObject): {
  readonly uploadId: string | undefined;
  readonly mediaId: string | undefined;
} {
  return { uploadId: textAt(item, ['uploadId']), mediaId: textAt(item, ['mediaId', 'id', '_id']) };
}
