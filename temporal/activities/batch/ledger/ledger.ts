import { canonicalJson } from '../../../../api/canonical-json';
import type { JsonObject } from '../../../../api/json';
import type { Orphan } from '../../../../api/upload/upload-steps';
import type { AccountLine } from '../../../contract/batch';
import type { Place } from '../../../../places/place';
import type { PlaceAccess } from '../../../../places/place-access';
import { listPlaces } from '../../../../places/places';
import { ledgerFolder } from './batch-files';
import { readLines } from './line-files';

/** What became of the rows of a page, by row id: all its rounds, one line for a row. */
export async function readLedger(
  access: PlaceAccess,
  { folder, page }: { readonly folder: Place; readonly page: number },
  signal?: AbortSignal,
): Promise<Map<string, AccountLine>> {
  const ledger = new Map<string, AccountLine>();
  for await (const { place } of listPlaces(access, ledgerFolder(folder, page), { signal })) {
    for await (const json of readLines(access, place, signal)) {
      if (!isAccountLine(json)) continue;
      const known = ledger.get(json.id);
      ledger.set(json.id, known === undefined ? json : newerLine(known, json));
    }
  }
  for (const [id, line] of ledger) ledger.set(id, withoutOwnSession(line));
  return ledger;
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
