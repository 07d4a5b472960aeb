import { canonicalJson } from '../../api/json';
import type { ManifestRow } from '../../manifest/row';
import type { PlannedRow } from './planned-row';

/** The maximum number of rows that an error names. */
const MAX_NAMED = 10;

/**
 * Describes the first rows that the earlier manifest contained and this one does not: which of their cells changed, or
 * that they are missing. `others`: the rows that the earlier manifest did not contain; called once.
 */
export async function rowDifferences(
  lost: AsyncIterable<PlannedRow>,
  others: () => AsyncIterable<PlannedRow>,
): Promise<string[]> {
  const named: ManifestRow[] = [];
  for await (const { row } of lost) if (named.push(row) === MAX_NAMED) break;
  const [ids, sources] = [new Set(named.map(({ id }) => id)), new Set(named.map(({ source }) => source))];
  const byId = new Map<string, ManifestRow>();
  const bySource = new Map<string, ManifestRow>();
  for await (const { row } of others()) {
    if (ids.has(row.id)) byId.set(row.id, row);
    else if (sources.has(row.source) && !bySource.has(row.source)) bySource.set(row.source, row);
  }
  // A row without an explicit id gets another id with each change.
  return named.map((row) => difference(row, byId.get(row.id) ?? bySource.get(row.source)));
}

function difference(old: ManifestRow, now: ManifestRow | undefined): string {
  if (now === undefined) return `"${old.id}" (${whereIs(old, ' of the earlier manifest')}) is missing`;
  const [then, here] = [cellsOf(old), cellsOf(now)];
  const cells = [...new Set([...then.keys(), ...here.keys()])].filter(
    (name) => then.get(name) !== here.get(name),
  );
  // Two URLs that differ can look the same when they are shown.
  const same = old.id === now.id ? 'source' : 'id';
  return `"${old.id}" (${whereIs(now)}) differs in ${cells.length === 0 ? same : cells.join(' and ')}`;
}

/** The id of a row without an explicit id is a digest, so its source and title identify it. */
function whereIs({ line, source, media: { title } }: ManifestRow, of = ''): string {
  return `line ${String(line)}${of}: ${source}${title === undefined ? '' : `, "${title}"`}`;
}

/** The values of a row by the column names of a manifest. */
function cellsOf({ source, media, metadata }: ManifestRow): Map<string, string> {
  const cells = Object.entries({ source, ...media, metadata }).filter(([, value]) => value !== undefined);
  return new Map(cells.map(([name, value]) => [name, canonicalJson(value)]));
}
