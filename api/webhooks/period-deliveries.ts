import type { JsonObject } from '../json';
import { eachPage, factsOfPage } from '../pages/each-page';
import type { Page } from '../pages/page';
import { MAX_PAGE_SIZE } from '../pages/page-request';
import { readStablePages } from '../pages/read-stable-pages';
import type { StableRecords } from '../pages/read-stable-pages';
import { readPage } from '../pages/search-answer-shapes';
import { readMoment } from '../read-moment';
import type { Service } from '../service/service';
import type { DeliveryReader } from './delivery-fields';
import { resolveQuery } from './delivery-query';
import type { ResolvedDeliveryQuery } from './delivery-query';
import { DELIVERY_OPERATION, fetchDeliveries } from './delivery-search';

interface PeriodDeliveriesRequest {
  readonly reader: DeliveryReader;
  /** Give up as soon as there are known to be more deliveries. */
  readonly maxItems: number;
  readonly signal?: AbortSignal;
}

interface PeriodDeliveries extends StableRecords {
  /** The service's clock at the first answer, epoch ms in whole seconds. Unset: the answer had no date. */
  readonly serviceNow?: number;
}

/** Reads all deliveries of the query's range, each once, although pages may shift meanwhile (see `readStablePages`). */
export async function readPeriodDeliveries(
  service: Service,
  query: ResolvedDeliveryQuery,
  { reader, maxItems, signal }: PeriodDeliveriesRequest,
): Promise<PeriodDeliveries | 'tooMany'> {
  const resolved = resolveQuery(query, service.clock.now());
  let serviceNow: number | undefined;
  const fetch = async (page: number | undefined): Promise<Page> => {
    const answer = await fetchDeliveries(service, resolved, {
      accept: 'application/json',
      size: MAX_PAGE_SIZE,
      signal,
      ...(page === undefined ? {} : { page }),
    });
    serviceNow ??= readMoment(answer.headers['date']);
    return readPage(DELIVERY_OPERATION, answer);
  };
  const read = await readStablePages({
    pages: () =>
      eachPage({ operation: DELIVERY_OPERATION, size: MAX_PAGE_SIZE, fetch, factsOf: factsOfPage }),
    identity: (record: JsonObject) => reader.identity(record),
    maxItems,
  });
  return read === 'tooMany' || serviceNow === undefined ? read : { ...read, serviceNow };
}
