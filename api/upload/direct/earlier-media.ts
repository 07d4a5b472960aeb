import { MediaServiceError } from '../../errors';
import { given, textAt } from '../../json';
import type { JsonObject } from '../../json';
import { mediaText } from '../../media/media-filter';
import { createOtherSide } from '../../retry';
import type { SideHooks } from '../../retry';
import type { Service } from '../../service/service';
import { searchByKey } from '../session/orphans';

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
