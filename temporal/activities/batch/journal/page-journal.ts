import { canonicalJson } from '../../../../api/canonical-json';
import type { JsonObject } from '../../../../api/json';
import type { Orphan } from '../../../../api/upload/upload-steps';
import type { EarlierSession } from '../../../../api/upload/request/upload-request';
import type { AccountLine, SessionEntry } from '../../../contract/batch';
import { earlierSessionOf } from '../../../contract/earlier-session';
import type { Place } from '../../../../places/place';
import type { PlaceAccess } from '../../../../places/place-access';
import { listPlaces } from '../../../../places/places';
import { journalFolder } from './batch-files';
import { readLines } from './line-files';

export interface PageJournal {
  /** What became of rows, by row id: all rounds, one line for a row. */
  readonly lines: ReadonlyMap<string, AccountLine>;
  /** The newest session of each row that is not known to be completed, by row id. */
  readonly sessions: ReadonlyMap<string, NotedSession>;
}

export type NotedSession = Omit<SessionEntry, 'id'>;

/** What was written down of the rows of a page. Rejects as `readLines`. */
export async function readJournal(
  access: PlaceAccess,
  { folder, page }: { readonly folder: Place; readonly page: number },
  signal?: AbortSignal,
): Promise<PageJournal> {
  const lines = new Map<string, AccountLine>();
  const sessions = new Map<string, NotedSession>();
  for await (const { place } of listPlaces(access, journalFolder(folder, page), { signal })) {
    for await (const json of readLines(access, place, signal)) {
      if (isAccountLine(json)) {
        const known = lines.get(json.id);
        lines.set(json.id, known === undefined ? json : newerLine(known, json));
        noteSession(sessions, json.id, sessionOf(json, json.endedAt));
      } else if (isSessionEntry(json)) noteSession(sessions, json.id, sessionOf(json, json.notedAt));
    }
  }
  for (const [id, line] of lines) {
    lines.set(id, withoutOwnSession(line));
    if (line.status === 'COMPLETED') sessions.delete(id);
  }
  return { lines, sessions };
}

function sessionOf(named: Partial<EarlierSession>, notedAt: string): NotedSession | undefined {
  const session = earlierSessionOf(named);
  return session === undefined ? undefined : { ...session, notedAt };
}

function noteSession(
  sessions: Map<string, NotedSession>,
  id: string,
  session: NotedSession | undefined,
): void {
  const known = sessions.get(id);
  if (session === undefined || (known !== undefined && known.notedAt > session.notedAt)) return;
  sessions.set(id, session);
}

/** What was left in an earlier run of the row, and completed after all, is no orphan. */
function withoutOwnSession(line: AccountLine): AccountLine {
  if (line.status !== 'COMPLETED' || line.uploadId === undefined) return line;
  return { ...line, orphans: line.orphans.filter(({ uploadId }) => uploadId !== line.uploadId) };
}

/**
 * The line that stands of two that one row has: what is COMPLETED stays so, else what was written later does. It does not matter in which order files
 * are read. What any of them left at the service stays told.
 */
export function newerLine(a: AccountLine, b: AccountLine): AccountLine {
  const [line, other] = rank(a, b) >= 0 ? [a, b] : [b, a];
  return { ...line, attempts: Math.max(line.attempts, other.attempts), orphans: united(line, other) };
}

/** Each session once. */
function united(a: AccountLine, b: AccountLine): Orphan[] {
  const all = [...a.orphans, ...b.orphans]
    .map((orphan): [string, Orphan] => [canonicalJson(orphan), orphan])
    .sort(([one], [two]) => compareTexts(one, two));
  const sessions = new Map<string, Orphan>();
  for (const [text, orphan] of all) {
    const key = orphan.uploadId ?? text;
    if (!sessions.has(key)) sessions.set(key, orphan);
  }
  return [...sessions.values()];
}

/** Above 0: `a` stands. */
function rank(a: AccountLine, b: AccountLine): number {
  const completed = Number(a.status === 'COMPLETED') - Number(b.status === 'COMPLETED');
  const later = a.round - b.round || Date.parse(a.endedAt) - Date.parse(b.endedAt);
  if (completed !== 0) return completed;
  if (later !== 0) return a.status === 'COMPLETED' ? -later : later;
  return compareTexts(textOf(a), textOf(b));
}

/** What does not change as lines are merged. */
function textOf({ attempts: _attempts, orphans: _orphans, ...line }: AccountLine): string {
  return canonicalJson(line);
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a > b ? 1 : -1;
}

/** The fields are ours: that it is one of our lines is all there is to settle. */
export function isAccountLine(json: JsonObject): json is JsonObject & AccountLine {
  return typeof json['id'] === 'string' && typeof json['status'] === 'string';
}

function isSessionEntry(json: JsonObject): json is JsonObject & SessionEntry {
  return typeof json['id'] === 'string' && typeof json['notedAt'] === 'string';
}
