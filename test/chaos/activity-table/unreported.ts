import type { SeenSession } from '../../support/upload-fixture';
import { isRecord } from '../../../api/json';

type Session = Pick<SeenSession, 'uploadId' | 'mediaId' | 'title' | 'parts'>;

const POSSIBLE = 'An upload session may exist at the service';

/**
 * The sessions that the reports hide: none names one of their ids, and none says of their own file that a session may
 * exist. `files`: path by title. A report about the only file need not name it.
 */
export function unreported(
  sessions: readonly Session[],
  files: ReadonlyMap<string, string>,
  reported: unknown,
): Session[] {
  const text = reportedText(reported);
  const possible = files.size === 1 && text.includes(POSSIBLE) ? files : possibleIn(JSON.parse(text));
  const isPossible = ({ parts, title }: Session): boolean =>
    parts.length === 0 && title !== null && (possible.has(title) || possible.has(files.get(title) ?? ''));
  return sessions.filter(
    (session) => !isPossible(session) && ![session.uploadId, session.mediaId].some((id) => text.includes(id)),
  );
}

/** Titles and sources of all records that say it. */
function possibleIn(value: unknown): ReadonlySet<unknown> {
  if (Array.isArray(value)) return new Set(value.flatMap((one) => [...possibleIn(one)]));
  if (!isRecord(value)) return new Set();
  const { title, source } = value;
  if (title === undefined && source === undefined) return possibleIn(Object.values(value));
  return new Set(JSON.stringify(value).includes(POSSIBLE) ? [title, source] : []);
}

/** Errors as text, with their messages. */
export function reportedText(reported: unknown): string {
  return JSON.stringify(reported, (_key, value: unknown) =>
    value instanceof Error
      ? { ...Object.fromEntries(Object.entries(value)), message: value.message, stack: value.stack }
      : value,
  );
}
