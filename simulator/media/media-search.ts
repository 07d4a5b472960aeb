import { type Answer, type Call, jsonAnswer } from '../http/answer';
import { readRecord, refuseUnknownFields } from '../http/request-body';
import { type JsonRecord, isJsonRecord } from '../json';
import { pageBody, pageHeaders } from '../shapes/page-shapes';
import { cutPage, readPage } from '../paging';
import type { SimulatorState } from '../state';
import { mediaFilter } from './media-filter';
import { type MediaItem, shownMedia } from './media-item';
import { mediaOrder } from './media-sort';

/**
 * POST {base_url}/api/media/search (api.md). Media of the token's sub-account. Without `sort`, they are in the order
 * of their creation. The media of an upload is found `searchLagMs` after its start.
 */
export async function searchMedia(
  state: SimulatorState,
  { request, query, subAccountId }: Call,
): Promise<Answer> {
  const { shapes } = state;
  refuseUnknownFields(Object.fromEntries(query), ['page', 'size', 'sort'], 'The query');
  const pageRequest = readPage(query, { base: shapes.has('search-base-1') ? 1 : 0, minSize: 0 });
  const order = mediaOrder(query.getAll('sort'), shapes.has('sort-space') ? ' ' : ',');
  const filter = await readRecord(request);
  const matches = mediaFilter(filter);
  state.recorder.emit('searched', searchedTags(filter));
  const hidesNew = state.faults.take({ operation: 'search', when: 'inside' }) !== undefined;
  const indexedUntil = state.settings.now() - state.settings.searchLagMs;
  const isIndexed = ({ isUploaded, createdAt }: MediaItem): boolean =>
    !isUploaded || (!hidesNew && Date.parse(createdAt) <= indexedUntil);
  const isOwn = (item: MediaItem): boolean => item.subAccountId === subAccountId;
  const found = state.media.filter((item) => isOwn(item) && isIndexed(item) && matches(item)).sort(order);
  const cut = cutPage(found, pageRequest);
  const page = { ...cut, items: cut.items.map((item) => shownMedia(item, shapes)) };
  return jsonAnswer(
    200,
    pageBody('search', page, shapes),
    shapes.has('search-array') ? pageHeaders(page) : {},
  );
}

/** What a search's events show of its filter. */
export function searchedTags({ tags }: JsonRecord): { tags?: JsonRecord } {
  return isJsonRecord(tags) ? { tags } : {};
}
