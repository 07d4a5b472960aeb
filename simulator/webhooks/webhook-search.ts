import { randomUUID } from 'node:crypto';
import { type Answer, type Call, Refusal, jsonAnswer, refuseUnless } from '../http/answer';
import { readIsoWithZone, refuseUnknownFields } from '../http/request-body';
import { pageBody, pageHeaders } from '../shapes/page-shapes';
import { cutPage, readPage, single } from '../paging';
import type { SimulatorState } from '../state';
import { type Delivery, deliveryCsv, shownDelivery, withLongIds } from './delivery';

const PARAMETERS = ['from', 'to', 'page', 'size', 'status', 'mediaId', 'subAccountId'];

/** GET {base_url}/api/webhook/search (api.md): deliveries sent in [from, to]. */
export async function searchWebhooks(state: SimulatorState, { request, query }: Call): Promise<Answer> {
  const { shapes } = state;
  const isCsv = wantsCsv(request.headers.accept);
  refuseUnknownFields(Object.fromEntries(query), PARAMETERS, 'The query');
  const pageRequest = readPage(query, { base: shapes.has('webhooks-base-1') ? 1 : 0, minSize: 1 });
  const found = state.deliveries.filter(deliveryFilter(query, shapes.has('webhooks-to-exclusive')));
  if (shapes.has('webhooks-newest-first')) found.reverse();
  const cut = cutPage(found, pageRequest);
  if (state.faults.take({ operation: 'webhooks', when: 'inside' }) !== undefined)
    redeliver(state.deliveries, cut.items);
  const page = { ...cut, items: cut.items.map((delivery) => shownDelivery(delivery, shapes)) };
  const headers = shapes.has('webhooks-no-headers') ? {} : pageHeaders(page);
  if (isCsv) {
    const text = deliveryCsv(page.items, page.index === 0, shapes);
    return { status: 200, headers: { ...headers, 'content-type': 'text/csv;charset=UTF-8' }, text };
  }
  const answer = jsonAnswer(200, pageBody('webhooks', page, shapes), headers);
  return shapes.has('delivery-ids-64-bit') ? { ...answer, text: withLongIds(answer.text) } : answer;
}

/** The first failed one of the page now counts as delivered. */
function redeliver(deliveries: Delivery[], page: readonly Delivery[]): void {
  const failed = page.find(({ status }) => status === 'FAILED');
  if (failed !== undefined)
    deliveries[deliveries.indexOf(failed)] = { ...failed, status: 'SUCCESS', httpStatus: 200 };
}

/** "Accept is text/csv (CSV response) or application/json (JSON response)". Anything else gets 406. */
function wantsCsv(accept: string | undefined): boolean {
  const types = (accept ?? '').split(',').map((type) => type.replace(/;.*$/s, '').trim().toLowerCase());
  if (types.includes('text/csv')) return true;
  if (types.includes('application/json')) return false;
  throw new Refusal(406, 'Accept must be text/csv or application/json.');
}

function deliveryFilter(query: URLSearchParams, endIsExcluded: boolean): (delivery: Delivery) => boolean {
  const from = momentOf('from', query) ?? Number.NEGATIVE_INFINITY;
  const to = momentOf('to', query) ?? Number.POSITIVE_INFINITY;
  refuseUnless(from <= to, 'from is after to.');
  const statuses = query.getAll('status');
  const areKnown = statuses.every((status) => status === 'FAILED' || status === 'SUCCESS');
  refuseUnless(areKnown, 'status must be FAILED or SUCCESS.');
  const mediaId = single('mediaId', query);
  const subAccountId = single('subAccountId', query);
  return (delivery) => {
    const sent = Date.parse(delivery.sentAt);
    return (
      sent >= from &&
      (endIsExcluded ? sent < to : sent <= to) &&
      (statuses.length === 0 || statuses.includes(delivery.status)) &&
      (mediaId === undefined || delivery.mediaId === mediaId) &&
      (subAccountId === undefined || delivery.subAccountId === subAccountId)
    );
  };
}

function momentOf(name: 'from' | 'to', query: URLSearchParams): number | undefined {
  const text = single(name, query);
  if (text === undefined) return undefined;
  const moment = readIsoWithZone(text);
  const refusal = `${name} is not an ISO 8601 date-time with zone (is it URL-encoded?).`;
  refuseUnless(moment !== undefined, refusal);
  return moment;
}

/** Adds one delivery at its time. Missing fields get made-up values; without `sentAt`, it was sent now. */
export function addDelivery(state: SimulatorState, fields: Partial<Delivery> = {}): Delivery {
  const { status = 'FAILED', sentAt = new Date(state.settings.now()).toISOString() } = fields;
  const isFine = status === 'SUCCESS';
  const delivery: Delivery = {
    id: randomUUID(),
    eventType: 'media.processed',
    mediaId: state.media[0]?.id ?? randomUUID(),
    subAccountId: state.settings.account.externalId,
    httpStatus: isFine ? 200 : 500,
    targetUrl: 'https://hooks.example.com/media',
    attempt: 1,
    durationMs: 42,
    message: isFine ? '' : 'Internal Server Error',
    ...fields,
    status,
    sentAt,
  };
  // From the end, where most belong: a batch adds a hundred thousand of them.
  const before = state.deliveries.findLastIndex((other) => Date.parse(other.sentAt) <= Date.parse(sentAt));
  state.deliveries.splice(before + 1, 0, delivery);
  return delivery;
}
