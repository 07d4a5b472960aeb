import { DateTime, IANAZone } from 'luxon';
import { ValidationError, wrongField } from './errors';

interface WhenContext {
  /** Epoch ms. */
  readonly now: number;
  /** IANA zone for dates without a zone, such as `Europe/Berlin`. Default UTC. */
  readonly zone?: string;
  /** Name of the field, for errors. Default `date`. */
  readonly field?: string;
}

const UNITS = { m: 'minutes', h: 'hours', d: 'days', w: 'weeks' } as const;
const AGO = /^-\s*(\d{1,6})\s*([mhdw])$/i;
const ISO =
  /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}([.,]\d{1,9})?)?\s*(Z|[+-](0\d|1[0-4])(:?[0-5]\d)?)?)?$/i;
const EXAMPLES =
  'Write 2026-11-01, "2026-11-01 07:00", 2026-11-01T07:00:00+01:00, -24h, -7d, now, today or yesterday.';

/**
 * Converts a date as a person writes it to ISO 8601 in UTC (`2026-11-01T06:00:00.000Z`). It accepts a calendar day (its
 * beginning), a day with a time, ISO with any zone, `-30m`, `-24h`, `-7d`, `-2w`, `now`, `today` and `yesterday`. Days
 * and weeks are those of the zone, so a day on which clocks change has 23 or 25 hours. Throws a `ValidationError` with
 * examples.
 */
export function parseWhen(text: string, context: WhenContext): string {
  const { zone = 'utc', field = 'date' } = context;
  if (zone.toLowerCase() !== 'utc' && !IANAZone.isValidZone(zone)) {
    throw new ValidationError(
      'zone',
      `"${zone.slice(0, 60)}" is not a time zone`,
      'Write it as Europe/Berlin, America/New_York or UTC.',
    );
  }
  const now = DateTime.fromMillis(context.now, { zone });
  const iso = momentOf(text.trim(), now)?.toUTC().toISO();
  if (iso === undefined || iso === null) {
    throw wrongField(field, `isn't a valid date: "${text.slice(0, 60)}"`, EXAMPLES);
  }
  return iso;
}

function momentOf(text: string, now: DateTime): DateTime | undefined {
  const word = text.toLowerCase();
  if (word === 'now') return now;
  if (word === 'today') return now.startOf('day');
  // If clocks skipped midnight today, today begins at 01:00, but yesterday does not.
  if (word === 'yesterday') return now.minus({ days: 1 }).startOf('day');
  const ago = AGO.exec(text);
  if (ago !== null) return agoOf(now, Number(ago[1]), ago[2]);
  if (!ISO.test(text)) return undefined;
  const moment = DateTime.fromISO(
    text
      .toUpperCase()
      .replace(/^(\S{10}) +/, '$1T')
      .replace(/\s+/g, ''),
    { zone: now.zone },
  );
  return moment.isValid ? moment : undefined;
}

function agoOf(now: DateTime, amount: number, unit: string | undefined): DateTime | undefined {
  const key = unit?.toLowerCase();
  if (key !== 'm' && key !== 'h' && key !== 'd' && key !== 'w') return undefined;
  const moment = now.minus({ [UNITS[key]]: amount });
  return moment.isValid && moment.year >= 1970 ? moment : undefined;
}
