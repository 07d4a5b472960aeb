import { eachItem, eachPage, factsOfPage } from '../pages/each-page';
import type { JsonObject } from '../json';
import type { Page } from '../pages/page';
import { checkPage, checkSize, iterationSize } from '../pages/page-request';
import { queryString } from '../service/encoded';
import { readPage } from '../pages/search-answer-shapes';
import type { ServiceAnswer } from '../answers/read-answer';
import type { Service } from '../service/service';
import { deliveryParameters, resolveQuery } from './delivery-query';
import type { DeliveryQuery } from './delivery-query';

export interface DeliveryPageRequest {
  /** Unset: not sent. */
  readonly page?: number;
  /** 1 to 1000. Unset: not sent. */
  readonly size?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface EachDeliveryRequest {
  /** Records per request, 1 to 1000. Default 500. */
  readonly size?: number;
  /** Stop after this many records. Default: all. */
  readonly limit?: number;
  readonly signal?: AbortSignal | undefined;
}

export const DELIVERY_OPERATION = 'webhook search';

/**
 * Reads one page of webhook deliveries, as JSON. api.md, "GET {base_url}/api/webhook/search". Throws a
 * `ValidationError` before anything is sent if a value breaks a rule.
 */
export async function searchDeliveries(
  service: Service,
  query: DeliveryQuery,
  request: DeliveryPageRequest = {},
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
  request: DeliveryPageRequest & { readonly accept: string },
): Promise<ServiceAnswer> {
  const { page, size, accept, signal } = request;
  checkPage(page);
  checkSize(size, 1);
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
  request: EachDeliveryRequest = {},
): AsyncGenerator<JsonObject> {
  yield* eachItem(eachDeliveryPage(service, query, request), request.limit);
}

/** The same, but yields pages. */
export function eachDeliveryPage(
  service: Service,
  query: DeliveryQuery,
  request: EachDeliveryRequest = {},
): AsyncGenerator<Page> {
  const size = iterationSize(request.size, request.limit);
  const resolved = resolveQuery(query, service.clock.now());
  return eachPage<Page>({
    operation: DELIVERY_OPERATION,
    size,
    refuseFewer: true,
    fetch: (page) =>
      searchDeliveries(service, resolved, {
        size,
        signal: request.signal,
        ...(page === undefined ? {} : { page }),
      }),
    factsOf: factsOfPage,
  });
}
