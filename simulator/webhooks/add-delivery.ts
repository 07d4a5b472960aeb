import { randomUUID } from 'node:crypto';
import { Refusal } from '../http/answer';
import { type Json, isJsonRecord } from '../json';
import { readIsoWithZone } from '../login/login-time';
import type { SimulatorState } from '../state';
import type { Delivery } from './delivery';

/** Adds one delivery. Missing fields get made-up values; without `sentAt`, it was sent now. */
export function addDelivery(state: SimulatorState, given: Json | undefined): Delivery {
  const fields = isJsonRecord(given) ? given : {};
  const text = (key: string, otherwise: string): string => {
    const value = fields[key];
    return typeof value === 'string' ? value : otherwise;
  };
  const sentAt = text('sentAt', new Date(state.settings.now()).toISOString());
  if (readIsoWithZone(sentAt) === undefined)
    throw new Refusal(400, 'sentAt is not an ISO 8601 date-time with zone.');
  const status = text('status', 'FAILED') === 'SUCCESS' ? 'SUCCESS' : 'FAILED';
  const delivery: Delivery = {
    id: text('id', randomUUID()),
    eventType: text('eventType', 'media.processed'),
    mediaId: text('mediaId', state.media[0]?.id ?? randomUUID()),
    subAccountId: text('subAccountId', state.settings.account.externalId),
    status,
    httpStatus: status === 'SUCCESS' ? 200 : 500,
    targetUrl: 'https://hooks.example.com/media',
    attempt: 1,
    durationMs: 42,
    message: text('message', status === 'SUCCESS' ? '' : 'Internal Server Error'),
    sentAt,
  };
  const later = state.deliveries.findIndex((other) => Date.parse(other.sentAt) > Date.parse(sentAt));
  state.deliveries.splice(later === -1 ? state.deliveries.length : later, 0, delivery);
  return delivery;
}
