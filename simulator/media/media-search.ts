import { type Answer, jsonAnswer } from '../http/answer';
import { readRecord } from '../http/request-body';
import type { Call } from '../http/call';
import { pageBody, pageHeaders } from '../shapes/page-shapes';
import { cutPage, readPage, refuseUnknownParameters } from '../paging';
import type { World } from '../world';
import { mediaFilter } from './media-filter';
import { shownMedia } from './media-item';
import { mediaOrder } from './media-sort';

/** POST {base_url}/api/media/search (api.md). Media of all sub-accounts; without `sort` in the order of their creation. */
export async function searchMedia(world: World, { request, query }: Call): Promise<Answer> {
  const { shapes } = world;
  refuseUnknownParameters(query, ['page', 'size', 'sort']);
  const wish = readPage(query, {
    base: shapes.has('search-base-1') ? 1 : 0,
    leastSize: 0,
    mostSize: 1000,
    clamps: shapes.has('search-size-clamped'),
  });
  const order = mediaOrder(query.getAll('sort'), shapes.has('sort-space') ? ' ' : ',');
  const matches = mediaFilter(await readRecord(request));
  const hidesNew = world.faults.take({ operation: 'search', when: 'inside' }) !== undefined;
  const found = world.media.filter((item) => !(hidesNew && item.isUploaded) && matches(item)).sort(order);
  const cut = cutPage(found, wish);
  const page = { ...cut, items: cut.items.map((item) => shownMedia(item, shapes)) };
  return jsonAnswer(
    200,
    pageBody('search', page, shapes),
    shapes.has('search-array') ? pageHeaders(page) : {},
  );
}
