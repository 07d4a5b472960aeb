import { checkPaging, eachItem, eachPage, iterationSize } from '../pages/each-page';
import type { AllPagesRequest, OnePageRequest } from '../pages/each-page';
import type { Page } from '../pages/search-answer-shapes';
import { given } from '../json';
import type { JsonObject } from '../json';
import { queryString } from '../service/encoded';
import { readPage } from '../pages/search-answer-shapes';
import type { ServiceAnswer } from '../answers/read-answer';
import type { Service } from '../service/service';
import { deliveryParameters, resolveQuery } from './delivery-query';
import type { DeliveryQuery } from './delivery-query';
import { createDeliveryReader } from './delivery-fields';

export const DELIVERY_OPERATION = 'webhook search';

/**
 * Reads one page of webhook deliveries, as JSON. api.md, "GET {base_url}/api/webhook/search". Throws a
 * `ValidationError` before anything is sent if a value breaks a rule.
 */
export async function searchDeliveries(
  service: Service,
  query: DeliveryQuery,
  request: OnePageRequest = {},
): Promise<Page> {
  return readPage(
    DELIVERY_OPERATION,
    await fetchDeliveries(service, query, { ...request, accept: 'application/json' }),
  );
}

/** Fetches one page in the form of `accept`, unparsed. */
export async function fetchDeliveries(
  service: Service,
  query: DeliveryQuery,
  request: OnePageRequest & { readonly accept: string },
): Promise<ServiceAnswer> {
  const { page, size, accept, signal } = request;
  checkPaging('page', page, 0);
  checkPaging('size', size, 1);
  const parameters = deliveryParameters(resolveQuery(query, service.clock.now()));
  return service.call({
    operation: DELIVERY_OPERATION,
    method: 'GET',
    url: `${service.account.baseUrl}/api/webhook/search${queryString([...parameters, ['page', page], ['size', size]])}`,
    accept,
    idempotent: true,
    signal,
  });
}

/**
 * Yields every webhook delivery of the range, page after page. The range is fixed at the first request, and it holds at
 * most one page.
 */
export async function* eachDelivery(
  service: Service,
  query: DeliveryQuery,
  request: AllPagesRequest = {},
): AsyncGenerator<JsonObject> {
  yield* eachItem(eachDeliveryPage(service, query, request), request.limit);
}

/** The same, but yields pages. */
export function eachDeliveryPage(
  service: Service,
  query: DeliveryQuery,
  request: AllPagesRequest = {},
): AsyncGenerator<Page> {
  const size = iterationSize(request);
  const resolved = resolveQuery(query, service.clock.now());
  return eachPage({
    operation: DELIVERY_OPERATION,
    size,
    fetch: (page, other = size) =>
      searchDeliveries(service, resolved, { size: other, signal: request.signal, ...given({ page }) }),
    recordsOf: mayLeave(query) ? ({ items }) => items.map((item) => BY_ID.identity(item)) : undefined,
  });
}

const BY_ID = createDeliveryReader();

/** A delivery that is sent again leaves the search for its status. */
export function mayLeave({ status = [] }: DeliveryQuery): boolean {
  return new Set(status).size === 1;
}
