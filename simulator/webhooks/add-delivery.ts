import { randomUUID } from 'node:crypto';
import { Refusal } from '../http/answer';
import { type Json, isRecord } from '../json';
import { readIsoWithZone } from '../login/login-time';
import type { World } from '../world';
import type { Delivery } from './delivery';

/** Adds one delivery: any of its fields can be given, the others are made up; sent now unless `sentAt` says when. */
export function addDelivery(world: World, given: Json | undefined): Delivery {
  const fields = isRecord(given) ? given : {};
  const text = (key: string, otherwise: string): string => {
    const value = fields[key];
    return typeof value === 'string' ? value : otherwise;
  };
  const sentAt = text('sentAt', new Date(world.settings.now()).toISOString());
  if (readIsoWithZone(sentAt) === undefined)
    throw new Refusal(400, 'sentAt is not an ISO 8601 date-time with zone.');
  const status = text('status', 'FAILED') === 'SUCCESS' ? 'SUCCESS' : 'FAILED';
  const delivery: Delivery = {
    id: text('id', randomUUID()),
    eventType: text('eventType', 'media.processed'),
    mediaId: text('mediaId', world.media[0]?.id ?? randomUUID()),
    subAccountId: text('subAccountId', world.settings.account.externalId),
    status,
    httpStatus: status === 'SUCCESS' ? 200 : 500,
    targetUrl: 'https://hooks.example.com/media',
    attempt: 1,
    durationMs: 42,
    message: text('message', status === 'SUCCESS' ? '' : 'Internal Server Error'),
    sentAt,
  };
  const later = world.deliveries.findIndex((other) => Date.parse(other.sentAt) > Date.parse(sentAt));
  world.deliveries.splice(later === -1 ? world.deliveries.length : later, 0, delivery);
  return delivery;
}
