import type { JsonObject } from '../json';
import { eachPage } from '../pages/each-page';
import type { Page } from '../pages/page';
import { MAX_PAGE_SIZE } from '../pages/page-request';
import { readSteadily } from '../pages/read-steadily';
import type { SteadyRecords } from '../pages/read-steadily';
import { fingerprintOf, readPage } from '../pages/search-answer-shapes';
import { readMoment } from '../read-moment';
import type { Service } from '../service/service';
import type { DeliveryReader } from './delivery-fields';
import { resolveQuery } from './delivery-query';
import type { ResolvedDeliveryQuery } from './delivery-query';
import { DELIVERY_OPERATION, fetchDeliveries } from './delivery-search';

export interface DeliveryWindowRequest {
  readonly reader: DeliveryReader;
  /** Give up as soon as it is known that there are more deliveries than these. */
  readonly most: number;
  readonly signal?: AbortSignal;
}

export interface DeliveryWindow extends SteadyRecords {
  /** The service's clock at the first answer, epoch ms in whole seconds; unset: the answer named no date. */
  readonly serviceNow?: number;
}

/** All deliveries of the query's range, each once although pages may shift while they are read (see `readSteadily`). */
export async function readDeliveryWindow(
  service: Service,
  query: ResolvedDeliveryQuery,
  { reader, most, signal }: DeliveryWindowRequest,
): Promise<DeliveryWindow | 'tooMany'> {
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
  const read = await readSteadily({
    pages: () => eachPage({ operation: DELIVERY_OPERATION, size: MAX_PAGE_SIZE, fetch, factsOf }),
    identity: (record: JsonObject) => reader.identity(record),
    most,
  });
  return read === 'tooMany' || serviceNow === undefined ? read : { ...read, serviceNow };
}

function factsOf(page: Page): Page & { records: number; fingerprint: string } {
  return { ...page, records: page.items.length, fingerprint: fingerprintOf(page.items) };
}
