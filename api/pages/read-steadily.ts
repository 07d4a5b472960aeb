import type { JsonObject } from '../json';
import type { Page } from './page';

export interface SteadyRead {
  /** Every page once, from the first. */
  pages(): AsyncIterable<Page>;
  /** Equal for the same record. */
  identity(record: JsonObject): string;
  /** Stop as soon as it is known that there are more records than these. */
  readonly most: number;
}

export interface SteadyRecords {
  /** Each record once, by its identity, in the order of its first appearance. */
  readonly records: ReadonlyMap<string, JsonObject>;
  /** False where pages kept shifting, so that a record may have been skipped. */
  readonly complete: boolean;
}

const MOST_PASSES = 3;

/**
 * All records of a search whose pages may shift while they are read: an insertion repeats a record, a removal skips one. What is read is
 * complete where it is one page, where all pages announce one total and so many records came, or where two passes in a row saw the same;
 * else it is read again, three times at most, and what any pass saw is kept. `tooMany`: more than `most`.
 */
export async function readSteadily(read: SteadyRead): Promise<SteadyRecords | 'tooMany'> {
  const records = new Map<string, JsonObject>();
  let before: ReadonlySet<string> | undefined;
  for (let pass = 1; pass <= MOST_PASSES; pass += 1) {
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

async function readPass(read: SteadyRead, records: Map<string, JsonObject>): Promise<Pass | 'tooMany'> {
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
    if ((totalElements ?? 0) > read.most || ids.size > read.most) return 'tooMany';
  }
  const [total] = totals;
  return { ids, verified: pages <= 1 || (totals.size === 1 && total === ids.size) };
}

function isSame(ids: ReadonlySet<string>, before: ReadonlySet<string> | undefined): boolean {
  return before?.size === ids.size && [...ids].every((id) => before.has(id));
}
