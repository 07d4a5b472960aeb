import { canonicalJson } from '../../../../api/canonical-json';
import type { ManifestRow } from '../../../../manifest/row';
import type { PlannedRow } from './planned-row';

/** So many rows are named. */
const MOST_NAMED = 10;

/**
 * What became of the first of the rows that a manifest held before and holds no longer: which cells of it changed, or that it is missing. `others`: its rows that
 * were not there before, asked for once.
 */
export async function rowDifferences(
  lost: AsyncIterable<PlannedRow>,
  others: () => AsyncIterable<PlannedRow>,
): Promise<string[]> {
  const named: ManifestRow[] = [];
  for await (const { row } of lost) if (named.push(row) === MOST_NAMED) break;
  const [ids, sources] = [new Set(named.map(({ id }) => id)), new Set(named.map(({ source }) => source))];
  const byId = new Map<string, ManifestRow>();
  const bySource = new Map<string, ManifestRow>();
  for await (const { row } of others()) {
    if (ids.has(row.id)) byId.set(row.id, row);
    else if (sources.has(row.source) && !bySource.has(row.source)) bySource.set(row.source, row);
  }
  // A row without an id gets another one with each change.
  return named.map((row) => difference(row, byId.get(row.id) ?? bySource.get(row.source)));
}

function difference(old: ManifestRow, now: ManifestRow | undefined): string {
  if (now === undefined) return `"${old.id}" (${whereIs(old, ' of the earlier manifest')}) is missing`;
  const [then, here] = [cellsOf(old), cellsOf(now)];
  const cells = [...new Set([...then.keys(), ...here.keys()])].filter(
    (name) => then.get(name) !== here.get(name),
  );
  // Of an address, what is shown can be the same.
  const same = old.id === now.id ? 'source' : 'id';
  return `"${old.id}" (${whereIs(now)}) differs in ${cells.length === 0 ? same : cells.join(' and ')}`;
}

/** The id of a row that names none is a digest: its source and title tell which it is. */
function whereIs({ line, source, media: { title } }: ManifestRow, of = ''): string {
  return `line ${String(line)}${of}: ${source}${title === undefined ? '' : `, "${title}"`}`;
}

/** What a row says, by the names that a manifest has for it. */
function cellsOf({ source, media, metadata }: ManifestRow): Map<string, string> {
  const cells = Object.entries({ source, ...media, metadata }).filter(([, value]) => value !== undefined);
  return new Map(cells.map(([name, value]) => [name, canonicalJson(value)]));
}
