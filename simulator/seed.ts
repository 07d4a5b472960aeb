import { EXTENSIONS, type MediaItem, sanitizedTitle } from './media/media-item';
import type { Delivery } from './webhooks/delivery';

const SUBJECTS = [
  'Inspection of the north tower',
  'Rooftop walk',
  'Façade détail',
  'Übersicht Baustelle',
  '現場の写真',
  'Training: "safety first"',
  "Engineer's notes",
  'Drone flight, sector 7',
  'Invoice & annex',
  'Interview – morning shift',
  'Проверка крана',
  'Emergency exit 🚪',
] as const;
const PROJECTS = ['alpha', 'beta', 'gamma', 'délta'] as const;
const REGIONS = ['north', 'south', 'east', 'west'] as const;
const CREATORS = ['Ada Lovelace', 'ada lovelace', 'Grace Hopper', 'Jürgen Müller', null] as const;
const RESOLUTIONS = ['LOW', 'NORMAL', 'HIGH'] as const;
const MINUTE_MS = 60_000;

/**
 * Media of every type and extension, with tags, created one after the other over the last 60 days. All belong to the
 * first sub-account, except one more for each other sub-account. A client that finds those sees too much.
 */
export function seedMedia(
  count: number,
  { now, subAccounts }: { now: number; subAccounts: readonly string[] },
): MediaItem[] {
  const random = createRandom(20_261);
  const stepMs = Math.floor((60 * 24 * 60 * MINUTE_MS) / Math.max(count, 1));
  const [own = '', ...others] = subAccounts;
  const owners = [...Array.from({ length: count }, () => own), ...(count === 0 ? [] : others)];
  return owners.map((subAccountId, at) => {
    const createdAt = new Date(now - Math.max(1, count - at) * stepMs).toISOString();
    return mediaItem(random, at, { createdAt, subAccountId });
  });
}

function mediaItem(
  random: Random,
  at: number,
  { createdAt, subAccountId }: { createdAt: string; subAccountId: string },
): MediaItem {
  const [fileType, { type }] = [...EXTENSIONS][at % EXTENSIONS.size] ?? ['MP4', { type: 'VIDEO' as const }];
  const title = `${random.pick(SUBJECTS)} ${String(at + 1).padStart(3, '0')}`;
  const hasLength = type === 'VIDEO' || type === 'AUDIO';
  return {
    id: random.id(),
    title,
    sanitizedTitle: sanitizedTitle(title),
    type,
    fileType,
    tags: {
      project: random.pick(PROJECTS),
      region: random.pick(REGIONS),
      workOrder: `WO-${1000 + (at % 40)}`,
    },
    isLibrary: random.roll(5) === 0,
    includeInReport: random.roll(10) > 0,
    isActive: random.roll(12) > 0,
    creator: random.pick(CREATORS),
    duration: hasLength ? 1000 + random.roll(3_600_000) : null,
    resolution: random.pick(RESOLUTIONS),
    subAccountId,
    metadata: {},
    createdAt,
    updatedAt: createdAt,
    fileUrl: `https://media.example.com/seed/${at + 1}.${fileType.toLowerCase()}`,
    isUploaded: false,
  };
}

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
    ...facts,
    status: failure === undefined ? 'SUCCESS' : 'FAILED',
    httpStatus: failure === undefined ? 200 : failure.httpStatus,
    targetUrl: random.pick(TARGETS),
    attempt: failure === undefined ? 1 : 1 + random.roll(5),
    durationMs: 20 + random.roll(4000),
    message: failure?.message ?? '',
  };
}

type Random = ReturnType<typeof createRandom>;

/** Repeatable random values: the same seed makes the same data in every run. */
function createRandom(seed: number) {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const roll = (sides: number): number => next() % sides;
  const hex = (): string => next().toString(16).padStart(8, '0');
  return {
    /** 0 to below `sides`. */
    roll,
    /** `choices` has at least one. */
    pick<T>(choices: readonly T[]): T {
      return choices[roll(choices.length)] as T;
    },
    /** A text in the form of a UUID. */
    id(): string {
      const text = hex() + hex() + hex() + hex();
      return `${text.slice(0, 8)}-${text.slice(8, 12)}-4${text.slice(13, 16)}-a${text.slice(17, 20)}-${text.slice(20)}`;
    },
  };
}
