import { canonicalJson, given } from '../../../api/json';
import type { EarlierSession, Orphan } from '../../../api/upload/types';
import type { FileLocation } from '../../../files/file-location';
import { mapInOrder } from '../../../api/map-in-order';
import { listFilesAt } from '../../../files/files';
import type { FileAccess } from '../../../files/output-path';
import type { ResultLine } from '../types';
import { earlierSessionOf } from '../../upload/types';
import { journalFolder, readLines } from './batch-files';
import { readPlannedRows } from './planned-row';
import type { PlannedRow } from './planned-row';

/** The lines of a page journal. */
export type JournalLine =
  /** How a row ended. */
  | ResultLine
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

/** A row of a page, and what its page journal says of it. */
export interface PageRow {
  readonly page: number;
  readonly planned: PlannedRow;
  /** All its results as one line, which is its line in the newest manifest. */
  readonly result?: ResultLine | undefined;
  /** Its newest session, unless it is completed. */
  readonly session?: EarlierSession | undefined;
  readonly processing?: Processing | undefined;
  readonly changed?: ChangedFile;
  /** An attempt that was lost may have sent its `start`. */
  readonly startPending?: true | undefined;
  /** Sessions that lost attempts left, and that no result names. */
  readonly left: readonly Orphan[];
}

/** The rows of a page in their order. Rejects as `readLines`. */
export async function readPage(
  access: FileAccess,
  { folder, page }: { readonly folder: FileLocation; readonly page: number },
  signal?: AbortSignal,
): Promise<PageRow[]> {
  const planned = await readPlannedRows(access, { folder, page }, signal);
  const rows = new Map<string, PageRow>(planned.map((one) => [one.row.id, { page, planned: one, left: [] }]));
  for await (const { location } of listFilesAt(access, journalFolder(folder, page), signal))
    for await (const line of readLines<JournalLine>(access, location, { signal, mayBeCut: true }))
      note(rows, line);
  return [...rows.values()].map((row) =>
    row.result?.status === 'COMPLETED' ? { ...row, session: undefined, processing: undefined } : row,
  );
}

/** Pages read ahead: they are small files, often far away. */
const PAGES_AT_ONCE = 4;

/** Yields the rows of all these pages, in their order. Memory: a few pages. */
export async function* rowsOfPages(
  access: FileAccess,
  { folder, pages }: { readonly folder: FileLocation; readonly pages: Iterable<number> },
  signal?: AbortSignal,
): AsyncGenerator<PageRow, void, undefined> {
  const read = mapInOrder(pages, PAGES_AT_ONCE, async (page) => {
    signal?.throwIfAborted();
    return readPage(access, { folder, page }, signal);
  });
  for await (const rows of read) yield* rows;
}

/** The lines come in the order in which they were written. */
function note(rows: Map<string, PageRow>, line: JournalLine): void {
  const named = 'starting' in line ? line.starting : 'unstarted' in line ? line.unstarted : [line.id];
  for (const id of named) {
    const row = rows.get(id);
    if (row !== undefined) rows.set(id, withLine(row, line));
  }
}

/** The row after one more line. */
export function withLine(row: PageRow, line: JournalLine): PageRow {
  return { ...row, ...newIn(line, row) };
}

function newIn(line: JournalLine, row: PageRow): Partial<PageRow> {
  const startPending = undefined;
  if ('starting' in line) return { startPending: true };
  if ('unstarted' in line) return { startPending };
  if ('changed' in line)
    return { changed: line.changed, result: undefined, session: undefined, startPending };
  if ('processing' in line) return { processing: line.processing, startPending };
  if ('session' in line) {
    const { session, orphans = [] } = line;
    const left = united([...row.left, ...orphans, ...replaced(row.session, session)]);
    return { session, left, startPending };
  }
  const ended = { ...line, orphans: united([...line.orphans, ...row.left]) };
  const newest = row.result === undefined ? ended : newerLine(row.result, ended);
  return {
    result: withoutOwnSession({ ...newest, line: row.planned.row.line }),
    session: line.status === 'COMPLETED' ? undefined : (earlierSessionOf(line) ?? row.session),
    left: [],
    processing: undefined,
    startPending: line.startPending,
  };
}

function replaced(old: EarlierSession | undefined, by: EarlierSession): Orphan[] {
  if (old === undefined || old.uploadId === by.uploadId) return [];
  const { uploadId, mediaId } = old;
  return [{ uploadId, ...given({ mediaId }), reason: 'an earlier run of this upload left it' }];
}

/** A session that an earlier run of the row left is not an orphan if it was completed after all. */
function withoutOwnSession(line: ResultLine): ResultLine {
  if (line.status !== 'COMPLETED' || line.uploadId === undefined) return line;
  return { ...line, orphans: line.orphans.filter(({ uploadId }) => uploadId !== line.uploadId) };
}

/**
 * Merges two lines of the same row: the first COMPLETED one wins, otherwise the later one. Keeps all orphans. What is
 * known of the file now is in the later line.
 */
export function newerLine(earlier: ResultLine, later: ResultLine): ResultLine {
  const isFinal = earlier.status === 'COMPLETED' && later.changedTo === undefined;
  const line = isFinal ? { ...earlier, warning: later.warning } : later;
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
