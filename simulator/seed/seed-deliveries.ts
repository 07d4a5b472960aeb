import type { MediaItem } from '../media/media-item';
import type { Delivery } from '../webhooks/delivery';
import { type Random, createRandom } from './random';

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

/**
 * Deliveries over the 30 days before `now`, oldest first, about 8 % FAILED. Their media belong to the first
 * sub-account, and their receivers to all sub-accounts.
 */
export function seedDeliveries(
  count: number,
  { now, media, subAccounts }: { now: number; media: readonly MediaItem[]; subAccounts: readonly string[] },
): Delivery[] {
  const random = createRandom(4_711);
  const own = media.filter(({ subAccountId }) => subAccountId === subAccounts[0]);
  const stepMs = DAYS_MS / Math.max(count, 1);
  return Array.from({ length: count }, (_, at) => {
    const sentAt = new Date(Math.floor(now - DAYS_MS + at * stepMs + random.roll(1000) / 1000)).toISOString();
    const index = random.roll(Math.max(own.length, 1));
    const item = own[index];
    const subAccountId = subAccounts[(item === undefined ? at : index) % subAccounts.length] ?? '';
    return delivery(random, { sentAt, mediaId: item?.id ?? random.id(), subAccountId });
  });
}

function delivery(random: Random, facts: Pick<Delivery, 'sentAt' | 'mediaId' | 'subAccountId'>): Delivery {
  const failure = random.roll(100) < 8 ? random.pick(FAILURES) : undefined;
  return {
    id: random.id(),
    eventType: random.pick(EVENTS),
    mediaId: facts.mediaId,
    subAccountId: facts.subAccountId,
    status: failure === undefined ? 'SUCCESS' : 'FAILED',
    httpStatus: failure === undefined ? 200 : failure.httpStatus,
    targetUrl: random.pick(TARGETS),
    attempt: failure === undefined ? 1 : 1 + random.roll(5),
    durationMs: 20 + random.roll(4000),
    message: failure?.message ?? '',
    sentAt: facts.sentAt,
  };
}
