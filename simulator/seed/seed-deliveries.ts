import type { MediaItem } from '../media/media-item';
import type { Delivery } from '../webhooks/delivery';
import { type Dice, createDice } from './dice';

const EVENTS = ['media.created', 'media.processed', 'media.updated', 'media.viewed'] as const;
const TARGETS = ['https://hooks.example.com/media', 'https://crm.example.org/inbound?source=media'] as const;
const FAILURES = [
  { httpStatus: 500, message: 'Internal Server Error' },
  { httpStatus: 503, message: 'Service Unavailable, retry "later"' },
  { httpStatus: 404, message: 'Endpoint not found:\n/inbound' },
  { httpStatus: 401, message: 'Zugriff verweigert – Schlüssel ungültig' },
  { httpStatus: null, message: 'connect ETIMEDOUT' },
  { httpStatus: null, message: '接続できません; "TLS"\r\nhandshake failed' },
] as const;

const DAYS_MS = 30 * 24 * 60 * 60_000;

/** Deliveries spread over the 30 days before `now`, the oldest first, about 8 % FAILED, of all sub-accounts. */
export function seedDeliveries(
  count: number,
  { now, media, subAccounts }: { now: number; media: readonly MediaItem[]; subAccounts: readonly string[] },
): Delivery[] {
  const dice = createDice(4_711);
  const stepMs = DAYS_MS / Math.max(count, 1);
  return Array.from({ length: count }, (_, at) => {
    const sentAt = new Date(Math.floor(now - DAYS_MS + at * stepMs + dice.roll(1000) / 1000)).toISOString();
    const item = media[dice.roll(Math.max(media.length, 1))];
    const subAccountId = item?.subAccountId ?? subAccounts[at % subAccounts.length] ?? '';
    return delivery(dice, { sentAt, mediaId: item?.id ?? dice.id(), subAccountId });
  });
}

function delivery(dice: Dice, facts: Pick<Delivery, 'sentAt' | 'mediaId' | 'subAccountId'>): Delivery {
  const failure = dice.roll(100) < 8 ? dice.pick(FAILURES) : undefined;
  return {
    id: dice.id(),
    eventType: dice.pick(EVENTS),
    mediaId: facts.mediaId,
    subAccountId: facts.subAccountId,
    status: failure === undefined ? 'SUCCESS' : 'FAILED',
    httpStatus: failure === undefined ? 200 : failure.httpStatus,
    targetUrl: dice.pick(TARGETS),
    attempt: failure === undefined ? 1 : 1 + dice.roll(5),
    durationMs: 20 + dice.roll(4000),
    message: failure?.message ?? '',
    sentAt: facts.sentAt,
  };
}
