import { MediaServiceError, ValidationError } from '../../errors';
import { given, isJsonObject, isRecord, textAt } from '../../json';
import type { JsonObject } from '../../json';
import { mediaTags, mediaText } from '../../media/media-filter';
import { searchMedia } from '../../media/media-search';
import { mayTryAgain, createOtherSide } from '../../retry';
import { DEFAULT_SERVICE_OPTIONS } from '../../service/create-service';
import type { Service } from '../../service/service';
import type { Orphan, OrphanSearch } from '../types';
import type { SideHooks } from '../../retry';
import { createHash } from 'node:crypto';

/** Pause between the two searches, ms: an index may lag behind. */
const PAUSE_MS = 10_000;
const PAGE_SIZE = 100;
const REASON = 'it was made by a start whose answer was lost';
const UNVERIFIABLE: OrphanSearch = { orphans: [], verifiable: false };

/** Throws a `ValidationError` if a caller's tags have the one that carries the ingest key. */
export function refuseIngestTag(
  tags: unknown,
  ingestTag: string | false = DEFAULT_SERVICE_OPTIONS.ingestTag,
): void {
  if (ingestTag === false || !isRecord(tags) || !Object.hasOwn(tags, ingestTag)) return;
  throw new ValidationError(
    `tags.${ingestTag}`,
    `the tag "${ingestTag}" carries the ingest key, which identifies an upload`,
    'Choose another tag, or another {ingestTag}.',
  );
}

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
      const ids = idsOf(item);
      const { uploadId, mediaId } = ids;
      if (known.includes(mediaId ?? '') || known.includes(uploadId ?? '')) continue;
      orphans.set(JSON.stringify([mediaId, uploadId]), { ...ids, reason: REASON });
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

/**
 * Searches for media with this ingest key. Undefined: the ingest tag is turned off. `isCertain`: false if the search
 * ignores the tag, or shows only the first of several pages, so it may hide one.
 */
async function searchByKey(service: Service, { ingestKey, isActive, signal }: KeySearch) {
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
    ? tags.filter(isJsonObject).find(({ key, name }) => key === ingestTag || name === ingestTag)?.['value']
    : mediaTags(item)[ingestTag];
  return Array.isArray(value) ? value.includes(ingestKey) : value === ingestKey;
}

function idsOf(item: JsonObject): Pick<Orphan, 'uploadId' | 'mediaId'> {
  return given({ uploadId: textAt(item, ['uploadId']), mediaId: textAt(item, ['mediaId', 'id', '_id']) });
}

/** What earlier uploads under an ingest key left at the service, as far as a search shows it. */
export interface EarlierMedia {
  /** An earlier upload ended COMPLETED. */
  readonly done?: { readonly mediaId: string; readonly fileUrl?: string; readonly title?: string };
  /** A full sentence: what an earlier run may have left, and what to do about it. */
  readonly warning?: string;
}

/**
 * Searches for the media of earlier uploads under an ingest key by its tag. Active media are finished. What is not
 * active may still be processed, or was left by a run that was cut off: its session can't be continued from here. "Found
 * none" never means "does not exist", because an index may lag behind. Temporary failures are retried as in
 * `createDirectSteps`.
 */
export async function findEarlier(
  service: Service,
  ingestKey: string,
  hooks: SideHooks = {},
): Promise<EarlierMedia> {
  const { signal } = hooks;
  const host = createOtherSide(service.clock, hooks);
  try {
    const found = await host.retried(() => searchByKey(service, { ingestKey, signal }));
    if (found === undefined) return { warning: unknown('the ingest tag is turned off') };
    const ids = found.own.flatMap((item) => mediaText(item, 'id') ?? []);
    if (ids.length > 0) {
      const active = await host.retried(() => searchByKey(service, { ingestKey, signal, isActive: true }));
      const [done] = active?.own.flatMap(doneOf) ?? [];
      return done === undefined ? { warning: left(ids) } : { done };
    }
    return found.isCertain ? {} : { warning: unknown('the search does not show whose media it found') };
  } catch (error) {
    if (!(error instanceof MediaServiceError) || error.outcome !== 'refused') throw error;
    return { warning: unknown(error.message) };
  }
}

function doneOf(item: JsonObject): NonNullable<EarlierMedia['done']>[] {
  const mediaId = mediaText(item, 'id');
  if (mediaId === undefined) return [];
  // Its query may hold a signature.
  const fileUrl = textAt(item, ['fileUrl'])?.replace(/[?#].*$/s, '');
  return [{ mediaId, ...given({ fileUrl, title: mediaText(item, 'title') }) }];
}

function left(ids: readonly string[]): string {
  return `An earlier run under this ingest key left media ${ids.join(', ')}, which ${ids.length === 1 ? 'is' : 'are'} not finished: an upload session may be left at the service, and this run does not continue it. Look at the media later: if it never becomes active, ask the operator of the service to remove it.`;
}

function unknown(why: string): string {
  return `It is not known whether an earlier run uploaded something under this ingest key (${why}). Search the service for a second media item.`;
}

interface KeyParts {
  readonly accountId: string;
  /** Two sources are the same if and only if these texts are equal. */
  readonly identity: string;
  readonly title: string | undefined;
}

/** The same file with the same title for the same account is the same upload, so a second start joins the first. */
export function defaultIngestKey({ accountId, identity, title }: KeyParts): string {
  const text = JSON.stringify([accountId, identity, title ?? null]);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** The `identity` of a file on a machine, by what the disk says. */
export function pathIdentity(
  host: string,
  path: string,
  { size, mtimeNs }: { readonly size: bigint; readonly mtimeNs: bigint },
): string {
  return JSON.stringify([host, path, Number(size), Math.round(Number(mtimeNs) / 1e6)]);
}
