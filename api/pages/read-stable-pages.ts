import type { JsonObject } from '../json';
import type { Page } from './search-answer-shapes';

interface StableRead {
  /** Yields every page once, from the first. */
  pages(): AsyncIterable<Page>;
  /** Equal for the same record. */
  identity(record: JsonObject): string;
  /** Stop as soon as there are known to be more records. */
  readonly maxItems: number;
}

export interface StableRecords {
  /** Each record once, by its identity, in the order in which it first appeared. */
  readonly records: ReadonlyMap<string, JsonObject>;
  /** False if pages kept shifting, so that a record may be missing. */
  readonly complete: boolean;
}

const MAX_PASSES = 3;

/**
 * Reads all records of a search whose pages may shift meanwhile: an insertion repeats a record, a removal skips one.
 *
 * A result is complete in three cases: there is only one page; all pages announce the same total and that many records
 * came; or two passes in a row saw the same records. Otherwise it reads again, three times at most, and keeps what any
 * pass saw. `tooMany`: there are more than `maxItems` records.
 */
export async function readStablePages(read: StableRead): Promise<StableRecords | 'tooMany'> {
  const records = new Map<string, JsonObject>();
  let before: ReadonlySet<string> | undefined;
  for (let pass = 1; pass <= MAX_PASSES; pass += 1) {
    const seen = await readPass(read, records);
    if (seen === 'tooMany') return seen;
    if (seen.verified || isSame(seen.ids, before)) return { records, complete: true };
    before = seen.ids;
  }
  return { records, complete: false };
}

interface Pass {
  readonly ids: ReadonlySet<string>;
  readonly verified: boolean;
}

async function readPass(read: StableRead, records: Map<string, JsonObject>): Promise<Pass | 'tooMany'> {
  const ids = new Set<string>();
  const totals = new Set<number | undefined>();
  let pages = 0;
  for await (const { items, totalElements } of read.pages()) {
    pages += 1;
    totals.add(totalElements);
    for (const item of items) {
      const id = read.identity(item);
      ids.add(id);
      if (!records.has(id)) records.set(id, item);
    }
    if ((totalElements ?? 0) > read.maxItems || ids.size > read.maxItems) return 'tooMany';
  }
  const [total] = totals;
  return { ids, verified: pages <= 1 || (totals.size === 1 && total === ids.size) };
}

function isSame(ids: ReadonlySet<string>, before: ReadonlySet<string> | undefined): boolean {
  return before?.size === ids.size && [...ids].every((id) => before.has(id));
}
