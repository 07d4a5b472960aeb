import { canonicalJson } from '../../../api/json';
import { MediaServiceError } from '../../../api/errors';
import type { ManifestItem, ManifestRow } from '../../../manifest/row';
import type { StoredPage } from './stored-plan';
import { pageDigest } from './planned-row';
import type { PlannedRow } from './planned-row';

export interface PlanInput {
  /** The ids differ, or one of the mistakes reports the repeated id. */
  readonly rows: AsyncIterable<ManifestItem>;
  /** Unset: a tenth of the new rows, within limits. */
  readonly pageRows?: number | undefined;
  /** Pages of an earlier start. The manifest must contain all of their rows. */
  readonly old: readonly StoredPage[];
  readonly batchId: string;
  readonly round: number;
  readonly planned: (row: ManifestRow) => PlannedRow;
  /** Reads the rows of a page of the earlier start. */
  readonly readOld: (page: number) => Promise<readonly PlannedRow[]>;
  readonly write: (page: number, rows: readonly PlannedRow[]) => Promise<void>;
}

/** The pages that one start added, in their order. The rows of the first one are looked for. */
interface Round {
  readonly pages: number[];
  open?: OpenPage | undefined;
}

interface OpenPage {
  readonly page: number;
  readonly rows: readonly PlannedRow[];
  /** Its rows that the manifest has not named yet, by id. */
  readonly wanted: Map<string, PlannedRow>;
  /** The same rows as the manifest names them now. */
  readonly found: Map<string, PlannedRow>;
}

/** The maximum number of rows that an error names. */
const MAX_NAMED = 10;

/**
 * Finds the rows of earlier starts in a manifest that grew, and writes their pages again, because URLs get new queries
 * and rows get other lines. Each start's rows must come in the order of their pages; within a page, any order will do.
 * Memory: one page for each start.
 */
export class OldPages {
  readonly #rounds = new Map<number, Round>();
  readonly #changed: string[] = [];

  constructor(private readonly input: PlanInput) {
    for (const [page, { round }] of input.old.entries()) {
      const known = this.#rounds.get(round) ?? { pages: [] };
      known.pages.push(page);
      this.#rounds.set(round, known);
    }
  }

  /** Whether an earlier start had the row. */
  async takes(row: PlannedRow): Promise<boolean> {
    const { id } = row.row;
    for (const round of this.#rounds.values()) {
      const open = await this.#openPage(round);
      const before = open?.wanted.get(id);
      if (open === undefined || before === undefined) continue;
      open.wanted.delete(id);
      if (before.digest === row.digest) open.found.set(id, row);
      else this.#changed.push(difference(before.row, row.row));
      if (open.found.size === open.rows.length) {
        const rows = open.rows.map((old) => open.found.get(old.row.id) ?? old);
        await this.input.write(open.page, rows);
        round.open = undefined;
      }
      return true;
    }
    return false;
  }

  /** Rejects with `InputDiffers`, which names the first rows that changed or were not found. */
  async requireAll(): Promise<void> {
    const missing: string[] = [];
    for (const round of this.#rounds.values()) {
      const open = await this.#openPage(round);
      for (const { row } of open?.wanted.values() ?? [])
        missing.push(`"${row.id}" (${whereIs(row, ' of the earlier manifest')}) is missing or moved`);
    }
    const differing = [...this.#changed, ...missing];
    const named = differing.slice(0, MAX_NAMED).join('; ');
    const more = differing.length - MAX_NAMED;
    if (named === '') return;
    throw new MediaServiceError(
      'InputDiffers',
      `The manifest is not the one that the batch ${this.input.batchId} was started with. First rows that differ: ${named}` +
        `${more > 0 ? `; and ${String(more)} more` : ''}.`,
      {
        outcome: 'refused',
        field: 'manifest',
        details: { differs: named },
        hint:
          'Restore these rows, or start the changed manifest as a new batch with another id. You may add rows anywhere, but not change, remove or reorder earlier rows. ' +
          'Keep the rows of files that you removed: they stay completed.',
      },
    );
  }

  async #openPage(round: Round): Promise<OpenPage | undefined> {
    const page = round.open === undefined ? round.pages.shift() : undefined;
    if (page === undefined) return round.open;
    const rows = await this.input.readOld(page);
    if (pageDigest(rows) !== this.input.old[page]?.digest) throw otherRows(page);
    const wanted = new Map(rows.map((row) => [row.row.id, row]));
    round.open = { page, rows, wanted, found: new Map() };
    return round.open;
  }
}

function otherRows(page: number): MediaServiceError {
  return new MediaServiceError(
    'Internal',
    `The rows of page ${String(page)} in the batch's folder are not the rows in its plan.json.`,
    { hint: 'Restore the folder, or start the manifest as a new batch with another folder.' },
  );
}

function difference(old: ManifestRow, now: ManifestRow): string {
  const [then, here] = [cellsOf(old), cellsOf(now)];
  const cells = [...new Set([...then.keys(), ...here.keys()])].filter(
    (name) => then.get(name) !== here.get(name),
  );
  // Two URLs that differ can look the same when they are shown.
  return `"${old.id}" (${whereIs(now)}) differs in ${cells.length === 0 ? 'source' : cells.join(' and ')}`;
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
