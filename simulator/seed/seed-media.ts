import { EXTENSIONS, type MediaItem, sanitizedTitle } from '../media/media-item';
import { type Random, createRandom } from './random';

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
