import { MediaServiceError } from '../../errors';
import { given, textAt } from '../../json';
import type { JsonObject } from '../../json';
import { mediaText } from '../../media/media-filter';
import { searchMedia } from '../../media/media-search';
import type { Service } from '../../service/service';
import { withRetries } from '../../retry';
import { carriesKey } from '../session/orphans';
import { SERVICE_HINT } from './direct-steps';
import type { DirectHooks } from './direct-steps';
import { createReach, POLL_RETRY_FOR_MS } from './reach';

/** What earlier uploads under an ingest key left at the service, as far as a search shows it. */
export interface EarlierMedia {
  /** An earlier upload ended COMPLETED. */
  readonly done?: { readonly mediaId: string; readonly fileUrl?: string; readonly title?: string };
  /** A full sentence: what an earlier run may have left, and what to do about it. */
  readonly warning?: string;
}

const PAGE_SIZE = 100;

/**
 * Searches for the media of earlier uploads under an ingest key by its tag. Active media are finished. What is not
 * active may still be processed, or was left by a run that was cut off: its session can't be continued from here. "Found
 * none" never means "does not exist", because an index may lag behind. Temporary failures are retried as in
 * `createDirectSteps`.
 */
export async function findEarlier(
  service: Service,
  ingestKey: string,
  hooks: DirectHooks = {},
): Promise<EarlierMedia> {
  const { ingestTag } = service.options;
  if (ingestTag === false) return { warning: unknown('the ingest tag is turned off') };
  const { clock } = service;
  const reach = createReach({ ...hooks, clock, hint: SERVICE_HINT });
  const calling = {
    clock,
    signal: hooks.signal,
    retryForMs: hooks.retryForMs ?? POLL_RETRY_FOR_MS,
    onRetry: (error: MediaServiceError) => hooks.onStepRetry?.(error),
    giveUp: reach.giveUp,
  };
  const search: Search = (isActive) =>
    withRetries(calling, () =>
      reach.note(async () => {
        const filter = { tags: { [ingestTag]: ingestKey }, ...given({ isActive }) };
        const { items } = await searchMedia(service, filter, { size: PAGE_SIZE, signal: hooks.signal });
        const own = items.filter((item) => carriesKey(item, ingestTag, ingestKey));
        return { own, isCertain: own.length === items.length && items.length < PAGE_SIZE };
      }),
    );
  try {
    return await earlierOf(search);
  } catch (error) {
    if (!(error instanceof MediaServiceError) || error.outcome !== 'refused') throw error;
    return { warning: unknown(error.message) };
  }
}

type Search = (
  isActive?: true,
) => Promise<{ readonly own: readonly JsonObject[]; readonly isCertain: boolean }>;

async function earlierOf(search: Search): Promise<EarlierMedia> {
  const { own, isCertain } = await search();
  const ids = own.flatMap((item) => mediaText(item, 'id') ?? []);
  if (ids.length > 0) {
    const [done] = (await search(true)).own.flatMap(doneOf);
    return done === undefined ? { warning: left(ids) } : { done };
  }
  return isCertain ? {} : { warning: unknown('the search does not show whose media it found') };
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
