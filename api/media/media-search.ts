import { given } from '../json';
import type { JsonObject } from '../json';
import { checkPaging, eachItem, eachPage, iterationSize } from '../pages/each-page';
import type { AllPagesRequest, OnePageRequest } from '../pages/each-page';
import type { Page } from '../pages/search-answer-shapes';
import { queryString } from '../service/encoded';
import type { QueryEntry } from '../service/encoded';
import { readPage } from '../pages/search-answer-shapes';
import type { Service } from '../service/service';
import { filterBody, sortText } from './media-filter';
import type { MediaFilter } from './media-filter';

export interface PageRequest extends OnePageRequest {
  /** Rules as `title`, `title,DESC` or `title,ASC,ignorecase`, in order of precedence. */
  readonly sort?: readonly string[];
}

export type EachMediaRequest = AllPagesRequest & Pick<PageRequest, 'sort'>;

const OPERATION = 'media search';

/**
 * Reads one page of a media search. api.md, "POST {base_url}/api/media/search". Throws a `ValidationError` before
 * anything is sent if a value breaks a rule of the interface.
 */
export async function searchMedia(
  service: Service,
  filter: MediaFilter,
  request: PageRequest = {},
): Promise<Page> {
  const { page, size, sort = [], signal } = request;
  checkPaging('page', page, 0);
  checkPaging('size', size, 0);
  const query: QueryEntry[] = [
    ['page', page],
    ['size', size],
    ...sort.map((rule): QueryEntry => ['sort', sortText(rule, service.options.sortSeparator)]),
  ];
  const answer = await service.call({
    operation: OPERATION,
    method: 'POST',
    url: `${service.account.baseUrl}/api/media/search${queryString(query)}`,
    body: JSON.stringify(filterBody(filter)),
    idempotent: true,
    signal,
  });
  return readPage(OPERATION, answer);
}

/**
 * Yields every item of a media search, page after page, as `eachPage` does. It holds only one page at a time. Set
 * `sort` if media may be added meanwhile: the service does not document its default order.
 */
export async function* eachMedia(
  service: Service,
  filter: MediaFilter,
  request: EachMediaRequest = {},
): AsyncGenerator<JsonObject> {
  yield* eachItem(eachMediaPage(service, filter, request), request.limit);
}

/** The same, but yields pages. */
export function eachMediaPage(
  service: Service,
  filter: MediaFilter,
  request: EachMediaRequest = {},
): AsyncGenerator<Page> {
  const { sort, signal } = request;
  const size = iterationSize(request);
  return eachPage({
    operation: OPERATION,
    size,
    firstPage: 0,
    fetch: (page) => searchMedia(service, filter, { size, signal, ...given({ page, sort }) }),
  });
}
