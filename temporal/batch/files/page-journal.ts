import { canonicalJson, given } from '../../../api/json';
import type { JsonObject } from '../../../api/json';
import type { EarlierSession } from '../../../api/upload/request/upload-request';
import type { Orphan } from '../../../api/upload/upload-steps';
import type { FileLocation } from '../../../files/file-location';
import { listFilesAt } from '../../../files/files';
import type { FileAccess } from '../../../files/output-path';
import type { ResultLine } from '../types';
import { earlierSessionOf } from '../../upload/types';
import { journalFolder, readLines } from './batch-files';

/** The lines of a page journal, besides `ResultLine`. */
export type JournalEntry =
  /** Written before the first `start` of these rows may be sent. */
  | { readonly starting: readonly string[] }
  /** No `start` of these rows was sent. */
  | { readonly unstarted: readonly string[] }
  /** Written before `complete` is sent. `orphans`: sessions of starts whose answers were lost. */
  | { readonly id: string; readonly session: EarlierSession; readonly orphans?: readonly Orphan[] }
  /** The row's file has changed since it was uploaded, and is uploaded again. Its earlier result counts no more. */
  | { readonly id: string; readonly changed: ChangedFile }
  /** The service accepted `complete` and processes the file. */
  | { readonly id: string; readonly processing: Processing };

/** `as`: distinguishes the file in the name of its upload. `replaces`: the media of the file that was there before. */
export interface ChangedFile {
  readonly as: string;
  readonly replaces?: string;
}

/** A row whose file the service processes. */
export interface Processing {
  /** Epoch ms, by the clock of the service's answer. */
  readonly completedAt: number;
  /** The result line, as far as it is known. */
  readonly line: Omit<ResultLine, 'status' | 'endedAt'>;
}

/** What a page's journal says about a row. */
export interface JournalRow {
  /** All its results as one line. */
  readonly result?: ResultLine;
  /** Its newest session, unless it is completed. */
  readonly session?: EarlierSession;
  readonly processing?: Processing;
  readonly changed?: ChangedFile;
  /** An attempt that was lost may have sent its `start`. */
  readonly startPending?: true;
  /** Ids of all sessions that the journal names for it. */
  readonly sessions: readonly string[];
  /** Sessions that lost attempts left, and that no result names. */
  readonly left: readonly Orphan[];
}

/** What the lines so far say. An unset field may be there as undefined. */
type Known = { -readonly [Name in keyof JournalRow]: JournalRow[Name] | undefined } & {
  readonly sessions: string[];
  left: readonly Orphan[];
};

/** Reads what the journal of a page says about its rows, by row id. Rejects as `readFileAt`. */
export async function readJournal(
  access: FileAccess,
  { folder, page }: { readonly folder: FileLocation; readonly page: number },
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, JournalRow>> {
  const rows = new Map<string, Known>();
  const rowOf = (id: string): Known => {
    const row = rows.get(id) ?? { sessions: [], left: [] };
    rows.set(id, row);
    return row;
  };
  for await (const { location } of listFilesAt(access, journalFolder(folder, page), signal))
    for await (const line of readLines(access, location, { signal, mayBeCut: true })) note(rowOf, line);
  return new Map([...rows].map(([id, row]) => [id, journalRow(row)]));
}

/** The lines come in the order in which they were written. This package wrote their fields. */
function note(rowOf: (id: string) => Known, json: JsonObject): void {
  const line = json as unknown as JournalEntry | ResultLine;
  if ('starting' in line) {
    for (const id of line.starting) rowOf(id).startPending = true;
  } else if ('unstarted' in line) {
    for (const id of line.unstarted) rowOf(id).startPending = undefined;
  } else if ('session' in line) {
    const row = rowOf(line.id);
    row.sessions.push(line.session.uploadId);
    row.left = united([...row.left, ...(line.orphans ?? []), ...replaced(row.session, line.session)]);
    Object.assign(row, { session: line.session, startPending: undefined });
  } else if ('changed' in line) {
    const fresh = { result: undefined, session: undefined, startPending: undefined };
    Object.assign(rowOf(line.id), { ...fresh, changed: line.changed });
  } else if ('processing' in line) {
    Object.assign(rowOf(line.id), { processing: line.processing, startPending: undefined });
  } else if ('status' in line) {
    const row = rowOf(line.id);
    const named = { ...line, orphans: united([...line.orphans, ...row.left]) };
    row.result = row.result === undefined ? named : newerLine(row.result, named);
    row.left = [];
    if (line.uploadId !== undefined) row.sessions.push(line.uploadId);
    const session = line.status === 'COMPLETED' ? undefined : (earlierSessionOf(line) ?? row.session);
    Object.assign(row, { session, startPending: line.startPending, processing: undefined });
  }
}

function replaced(old: EarlierSession | undefined, by: EarlierSession): Orphan[] {
  if (old === undefined || old.uploadId === by.uploadId) return [];
  const { uploadId, mediaId } = old;
  return [{ uploadId, ...given({ mediaId }), reason: 'an earlier run of this upload left it' }];
}

function journalRow(known: Known): JournalRow {
  const { result, session, processing, changed, startPending, sessions, left } = known;
  const open = result?.status === 'COMPLETED' ? {} : { session, processing };
  const ended = result && withoutOwnSession(result);
  return { ...given({ ...open, result: ended, changed, startPending }), sessions, left };
}

/** A session that an earlier run of the row left is not an orphan if it was completed after all. */
function withoutOwnSession(line: ResultLine): ResultLine {
  if (line.status !== 'COMPLETED' || line.uploadId === undefined) return line;
  return { ...line, orphans: line.orphans.filter(({ uploadId }) => uploadId !== line.uploadId) };
}

/**
 * Merges two lines of the same row: the first COMPLETED one wins, otherwise the later one. Keeps all orphans. Whether
 * the file has changed is known from the later line.
 */
export function newerLine(earlier: ResultLine, later: ResultLine): ResultLine {
  const isFinal = earlier.status === 'COMPLETED' && later.changedTo === undefined;
  const line = isFinal ? earlier : later;
  const attempts = Math.max(earlier.attempts, later.attempts);
  return { ...line, attempts, orphans: united([...earlier.orphans, ...later.orphans]) };
}

/** Each session once. */
function united(orphans: readonly Orphan[]): Orphan[] {
  const sessions = new Map<string, Orphan>();
  for (const orphan of orphans) {
    const key = orphan.uploadId ?? canonicalJson({ ...orphan });
    if (!sessions.has(key)) sessions.set(key, orphan);
  }
  return [...sessions.values()];
}

/** This package wrote the fields, so it only checks that the line is a result line. */
export function isResultLine(json: JsonObject): json is JsonObject & ResultLine {
  return typeof json['id'] === 'string' && typeof json['status'] === 'string';
}
