import { MediaServiceError } from '../../errors';
import { given, isJsonObject, textAt } from '../../json';
import type { JsonObject } from '../../json';
import { mediaTags } from '../../media/media-filter';
import { searchMedia } from '../../media/media-search';
import { mayTryAgain } from '../../retry';
import type { Service } from '../../service/service';
import { text } from '../answers/session-shape';
import type { Orphan, OrphanSearch } from '../upload-steps';

/** Pause between the two searches, ms: an index may lag behind. */
const PAUSE_MS = 10_000;
const PAGE_SIZE = 100;
const REASON = 'it was made by a start whose answer was lost';

/**
 * Searches by the ingest-key tag for media that a lost `start` created: twice, seconds apart, active or not. It does
 * not report ids in `known`. "Found none" never means "does not exist". `verifiable` is false if the tag is turned
 * off, search is refused, or a found medium does not show the tag. It is also false if there may be more than one page.
 * Rejects only for failures that may pass. docs/decisions/start-and-complete.
 */
export async function findOrphans(
  service: Service,
  input: { readonly ingestKey: string; readonly known: readonly string[] },
  signal?: AbortSignal,
): Promise<OrphanSearch> {
  const { ingestTag } = service.options;
  if (ingestTag === false) return { orphans: [], verifiable: false };
  const searches: OrphanSearch[] = [];
  try {
    searches.push(await searchOnce({ service, ingestTag, ...input, signal }));
    await service.clock.sleep(PAUSE_MS, signal);
    searches.push(await searchOnce({ service, ingestTag, ...input, signal }));
  } catch (error) {
    const isRefused = error instanceof MediaServiceError && error.outcome === 'refused';
    if (!isRefused || mayTryAgain(error, 1)) throw error;
    searches.push({ orphans: [], verifiable: false });
  }
  const all = searches.flatMap((search) => search.orphans);
  return {
    orphans: all.filter((orphan, at) => all.findIndex((one) => sameOrphan(one, orphan)) === at),
    verifiable: searches.every((search) => search.verifiable),
  };
}

/**
 * Returns the ids of all media that have this ingest key now: none of them comes from a later `start`. Empty if nothing
 * can be found, because an upload needs no search.
 */
export async function idsOfKey(service: Service, ingestKey: string, signal?: AbortSignal): Promise<string[]> {
  const { ingestTag } = service.options;
  if (ingestTag === false) return [];
  try {
    const { orphans } = await searchOnce({ service, ingestTag, ingestKey, known: [], signal });
    return orphans.flatMap(({ uploadId, mediaId }) => [uploadId, mediaId]).filter((id) => id !== undefined);
  } catch (error) {
    if (error instanceof MediaServiceError && error.code !== 'Cancelled') return [];
    throw error;
  }
}

interface OneSearch {
  readonly service: Service;
  readonly ingestTag: string;
  readonly ingestKey: string;
  readonly known: readonly string[];
  readonly signal: AbortSignal | undefined;
}

async function searchOnce({
  service,
  ingestTag,
  ingestKey,
  known,
  signal,
}: OneSearch): Promise<OrphanSearch> {
  const { items, totalElements } = await searchMedia(
    service,
    { tags: { [ingestTag]: ingestKey } },
    { size: PAGE_SIZE, signal },
  );
  const own = items.filter((item) => carriesKey(item, ingestTag, ingestKey));
  return {
    orphans: own
      .map(orphanOf)
      .filter(({ mediaId, uploadId }) => !known.includes(mediaId ?? '') && !known.includes(uploadId ?? '')),
    // If the search ignores the tag, or shows only the first of several pages, it may hide an orphan.
    verifiable:
      own.length === items.length &&
      (totalElements === undefined ? items.length < PAGE_SIZE : items.length >= totalElements),
  };
}

/**
 * Returns whether a found item shows this ingest key. A service may list tags as pairs, and give a tag a list of
 * values.
 */
export function carriesKey(item: JsonObject, ingestTag: string, ingestKey: string): boolean {
  const { tags } = item;
  const value = Array.isArray(tags)
    ? tags.filter(isJsonObject).find((one) => one['key'] === ingestTag || one['name'] === ingestTag)?.[
        'value'
      ]
    : mediaTags(item)[ingestTag];
  return Array.isArray(value) ? value.includes(ingestKey) : value === ingestKey;
}

function orphanOf(item: JsonObject): Orphan {
  const mediaId = textAt(item, ['mediaId', 'id', '_id']);
  const uploadId = text(item, 'uploadId');
  return {
    ...given({ uploadId, mediaId }),
    reason: REASON,
  };
}

function sameOrphan(one: Orphan, other: Orphan): boolean {
  return one.mediaId === other.mediaId && one.uploadId === other.uploadId;
}
