import { randomUUID } from 'node:crypto';
import type { SimulatorState } from '../state';
import type { Delivery } from './delivery';

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
  const later = state.deliveries.findIndex((other) => Date.parse(other.sentAt) > Date.parse(sentAt));
  state.deliveries.splice(later === -1 ? state.deliveries.length : later, 0, delivery);
  return delivery;
}
