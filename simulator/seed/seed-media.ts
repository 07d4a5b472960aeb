import { EXTENSIONS, type MediaItem, sanitizedTitle } from '../media/media-item';
import { type Dice, createDice } from './dice';

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

/** Media of every type and extension with tags; created one after the other over the last 60 days. */
export function seedMedia(
  count: number,
  options: { now: number; subAccounts: readonly string[] },
): MediaItem[] {
  const dice = createDice(20_261);
  const stepMs = Math.floor((60 * 24 * 60 * MINUTE_MS) / Math.max(count, 1));
  return Array.from({ length: count }, (_, at) => {
    const createdAt = new Date(options.now - (count - at) * stepMs).toISOString();
    return mediaItem(dice, at, {
      createdAt,
      subAccountId: options.subAccounts[at % options.subAccounts.length] ?? '',
    });
  });
}

function mediaItem(
  dice: Dice,
  at: number,
  { createdAt, subAccountId }: { createdAt: string; subAccountId: string },
): MediaItem {
  const [fileType, { type }] = [...EXTENSIONS][at % EXTENSIONS.size] ?? ['MP4', { type: 'VIDEO' as const }];
  const title = `${dice.pick(SUBJECTS)} ${String(at + 1).padStart(3, '0')}`;
  const hasLength = type === 'VIDEO' || type === 'AUDIO';
  return {
    id: dice.id(),
    title,
    sanitizedTitle: sanitizedTitle(title),
    type,
    fileType,
    tags: { project: dice.pick(PROJECTS), region: dice.pick(REGIONS), workOrder: `WO-${1000 + (at % 40)}` },
    isLibrary: dice.roll(5) === 0,
    includeInReport: dice.roll(10) > 0,
    isActive: dice.roll(12) > 0,
    creator: dice.pick(CREATORS),
    duration: hasLength ? 1000 + dice.roll(3_600_000) : null,
    resolution: dice.pick(RESOLUTIONS),
    subAccountId,
    metadata: {},
    createdAt,
    updatedAt: createdAt,
    fileUrl: `https://media.example.com/seed/${at + 1}.${fileType.toLowerCase()}`,
    isUploaded: false,
  };
}
