import { eachPage, iterationSize } from '../pages/each-page';
import type { AllPagesRequest } from '../pages/each-page';
import { given } from '../json';
import { isOwnAnswer, PAGE_HINT, unreadable } from '../answers/read-answer';
import type { ServiceAnswer } from '../answers/read-answer';
import { totalsIn } from '../pages/search-answer-shapes';
import type { Service } from '../service/service';
import { createCsvJoin } from './csv-records';
import { resolveQuery } from './delivery-query';
import type { DeliveryQuery } from './delivery-query';
import { DELIVERY_OPERATION, eachDeliveryPage, fetchDeliveries, mayLeave } from './delivery-search';

export interface ExportRequest extends Pick<AllPagesRequest, 'size' | 'signal'> {
  /** `csv`: the service's own text with one header. `json`: one array. `jsonl`: one record per line. */
  readonly format: 'csv' | 'json' | 'jsonl';
  /** Called after each page. */
  onPage?(page: ExportedPage): void;
}

export interface ExportedPage {
  /** Counted from 1. */
  readonly page: number;
  /** Records of this page. */
  readonly records: number;
  readonly recordsSoFar: number;
  readonly totalElements?: number;
}

/**
 * Yields all webhook deliveries of the range as pieces of text. It holds one page at a time, so memory does not grow
 * with the export. A page whose answer broke off is requested again before any of it is passed on. The range is fixed
 * at the first request.
 */
export function exportDeliveries(
  service: Service,
  query: DeliveryQuery,
  request: ExportRequest,
): AsyncGenerator<string> {
  return request.format === 'csv' ? exportCsv(service, query, request) : exportJson(service, query, request);
}

async function* exportCsv(
  service: Service,
  query: DeliveryQuery,
  request: ExportRequest,
): AsyncGenerator<string> {
  const size = iterationSize(request);
  const resolved = resolveQuery(query, service.clock.now());
  const join = createCsvJoin();
  let before = 0;
  const pages = eachPage({
    operation: DELIVERY_OPERATION,
    size,
    fetch: async (page, other = size) => {
      const paging = { accept: 'text/csv', size: other, signal: request.signal, ...given({ page }) };
      const answer = await fetchDeliveries(service, resolved, paging);
      const csv = join.read(checkCsv(answer));
      const totals = totalsIn([answer.headers]);
      // Nobody can count what stray quotes hide, so the page counts as complete.
      const announced = Math.min(totals.size ?? size, (totals.totalElements ?? Infinity) - before);
      const records = csv.isExact || csv.items.length === 0 ? csv.items.length : announced;
      return { ...totals, ...csv, records };
    },
    recordsOf: mayLeave(query) ? ({ lines }) => lines.map((line) => line.trimEnd()) : undefined,
  });
  const progress = createProgress(request);
  for await (const page of pages) {
    before += page.records;
    yield join.append(page);
    progress(page.records, page.totalElements);
  }
}

async function* exportJson(
  service: Service,
  query: DeliveryQuery,
  request: ExportRequest,
): AsyncGenerator<string> {
  const asArray = request.format === 'json';
  const progress = createProgress(request);
  const between = asArray ? ',\n' : '\n';
  let before = asArray ? '[\n' : '';
  for await (const { items, totalElements } of eachDeliveryPage(service, query, request)) {
    const lines = items.map((item) => JSON.stringify(item));
    if (lines.length > 0) {
      yield before + lines.join(between);
      before = between;
    }
    progress(items.length, totalElements);
  }
  if (asArray) yield before === '[\n' ? '[]\n' : '\n]\n';
  else if (before !== '') yield '\n';
}

function createProgress(request: ExportRequest): (records: number, totalElements?: number) => void {
  let page = 0;
  let recordsSoFar = 0;
  return (records, totalElements) => {
    page += 1;
    recordsSoFar += records;
    request.onPage?.({ page, records, recordsSoFar, ...given({ totalElements }) });
  };
}

/** Returns the answer's text, unless it is clearly not CSV. */
function checkCsv(answer: ServiceAnswer): string {
  const contentType = answer.headers['content-type'] ?? 'no content type';
  const html = !isOwnAnswer(answer);
  if (!html && !/json/i.test(contentType)) return answer.text;
  throw unreadable(DELIVERY_OPERATION, `expected CSV, the answer is ${contentType}`, {
    status: answer.status,
    hint: html ? PAGE_HINT : 'The service ignores the Accept header here: export as JSON instead.',
  });
}
