import { canonicalJson, type JsonObject } from '../../api/json';
import type { Orphan } from '../../api/upload/upload-steps';
import type { EarlierSession } from '../../api/upload/request/upload-request';
import type { ResultLine, SessionEntry } from '../contract/batch';
import { earlierSessionOf } from '../contract/earlier-run';
import type { FileLocation } from '../../files/file-location';
import { listFilesAt, type FileAccess } from '../../files/files';
import { locationText } from '../../files/location-text';
import { journalFolder } from './batch-files';
import { readLines } from './line-files';

export interface PageJournal {
  /** The results of rows by row id, from all rounds: one line for a row. */
  readonly lines: ReadonlyMap<string, ResultLine>;
  /** The newest session of each row that is not known to be completed, by row id. */
  readonly sessions: ReadonlyMap<string, JournalSession>;
}

export type JournalSession = Omit<SessionEntry, 'id'>;

export interface JournalSelection {
  readonly folder: FileLocation;
  readonly page: number;
  /** A file that is left out. */
  readonly without?: FileLocation;
}

/** Reads the results and sessions of a page's rows. Rejects as `readLines`. */
export async function readJournal(
  access: FileAccess,
  { folder, page, without }: JournalSelection,
  signal?: AbortSignal,
): Promise<PageJournal> {
  const lines = new Map<string, ResultLine>();
  const sessions = new Map<string, JournalSession>();
  for await (const { location } of listFilesAt(access, journalFolder(folder, page), signal)) {
    if (without !== undefined && locationText(location) === locationText(without)) continue;
    for await (const json of readLines(access, location, signal)) {
      if (isResultLine(json)) {
        const known = lines.get(json.id);
        lines.set(json.id, known === undefined ? json : newerLine(known, json));
        noteSession(sessions, json, json.endedAt);
      } else if (isSessionEntry(json)) noteSession(sessions, json, json.notedAt);
    }
  }
  for (const [id, line] of lines) {
    lines.set(id, withoutOwnSession(line));
    if (line.status === 'COMPLETED') sessions.delete(id);
  }
  return { lines, sessions };
}

/** Keeps the newest session of each row. */
function noteSession(
  sessions: Map<string, JournalSession>,
  entry: Partial<EarlierSession> & { readonly id: string },
  notedAt: string,
): void {
  const session = earlierSessionOf(entry);
  const known = sessions.get(entry.id);
  if (session === undefined || (known !== undefined && known.notedAt > notedAt)) return;
  sessions.set(entry.id, { ...session, notedAt });
}

/** A session that an earlier run of the row left is not an orphan if it was completed after all. */
function withoutOwnSession(line: ResultLine): ResultLine {
  if (line.status !== 'COMPLETED' || line.uploadId === undefined) return line;
  return { ...line, orphans: line.orphans.filter(({ uploadId }) => uploadId !== line.uploadId) };
}

/**
 * Merges two lines of the same row. A COMPLETED line wins, otherwise the later one. The order in which files are read
 * does not matter. The result keeps the orphans of both lines.
 */
export function newerLine(a: ResultLine, b: ResultLine): ResultLine {
  const [line, other] = rank(a, b) >= 0 ? [a, b] : [b, a];
  return { ...line, attempts: Math.max(line.attempts, other.attempts), orphans: united(line, other) };
}

/** Each session once. */
function united(a: ResultLine, b: ResultLine): Orphan[] {
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

/** Above 0: `a` wins. */
function rank(a: ResultLine, b: ResultLine): number {
  const completed = Number(a.status === 'COMPLETED') - Number(b.status === 'COMPLETED');
  const later = a.round - b.round || Date.parse(a.endedAt) - Date.parse(b.endedAt);
  if (completed !== 0) return completed;
  if (later !== 0) return a.status === 'COMPLETED' ? -later : later;
  return compareTexts(textOf(a), textOf(b));
}

/** The fields that merging lines does not change. */
function textOf({ attempts: _attempts, orphans: _orphans, ...line }: ResultLine): string {
  return canonicalJson(line);
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a > b ? 1 : -1;
}

/** This package wrote the fields, so it only checks that the line is a result line. */
export function isResultLine(json: JsonObject): json is JsonObject & ResultLine {
  return typeof json['id'] === 'string' && typeof json['status'] === 'string';
}

function isSessionEntry(json: JsonObject): json is JsonObject & SessionEntry {
  return typeof json['id'] === 'string' && typeof json['notedAt'] === 'string';
}
