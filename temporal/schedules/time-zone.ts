import { editDistance } from '../../api/edit-distance';
import { ValidationError } from '../../api/errors';

const MAX_TYPOS = 3;
/** Limits typos by the length of the name: `Mars` must not suggest Paris. */
const LETTERS_PER_TYPO = 3;

/**
 * The zone's IANA name. Throws a `ValidationError` that suggests the likeliest name: `Europe/Berlin` for `Berlin` and
 * `Europe/Berln`.
 */
export function checkZone(zone: string): string {
  const text = zone.trim();
  if (/^[A-Za-z]/.test(text) && isZone(text)) return text;
  const suggestion = likeliest(text);
  throw new ValidationError(
    'timezone',
    `"${text.slice(0, 60)}" is not a time zone`,
    suggestion === undefined
      ? 'Write it as Europe/Berlin, America/New_York or UTC.'
      : `Did you mean ${suggestion}?`,
  );
}

function isZone(text: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    return true;
  } catch {
    return false;
  }
}

function likeliest(text: string): string | undefined {
  const wanted = plain(text);
  if (wanted === '') return undefined;
  const ranked = Intl.supportedValuesOf('timeZone')
    .map((zone) => ({ zone, typos: Math.min(...namesOf(zone).map((name) => editDistance(wanted, name))) }))
    .sort((a, b) => a.typos - b.typos);
  const [best] = ranked;
  return best !== undefined && best.typos <= Math.min(MAX_TYPOS, wanted.length / LETTERS_PER_TYPO)
    ? best.zone
    : undefined;
}

function namesOf(zone: string): string[] {
  return [plain(zone), plain(zone.slice(zone.lastIndexOf('/') + 1))];
}

function plain(text: string): string {
  return text.toLowerCase().replace(/[\s_-]+/g, '');
}
