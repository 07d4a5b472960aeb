import { canonicalJson } from '../../../../api/canonical-json';
import { MediaServiceError } from '../../../../api/errors';
import type { ManifestMistake, ManifestRow } from '../../../../manifest/row';
import { isMistake } from '../../../../manifest/row';
import { pageDigest } from './planned-row';
import type { PlannedRow } from './planned-row';
import type { StoredPage } from './stored-plan';

/** A page lies in the result of an activity and in the inputs of its uploads: far below Temporal's 2 MB. */
export const MAX_PAGE_BYTES = 512 * 1024;
/** What is wrong is named this often; the number of all mistakes is always told. */
const MOST_NAMED = 10;

export interface PlanInput {
  readonly rows: AsyncIterable<ManifestRow | ManifestMistake>;
  readonly pageRows: number;
  /** Pages of an earlier start: the manifest has to begin with their rows. */
  readonly old: readonly StoredPage[];
  readonly batchId: string;
  planned(row: ManifestRow): PlannedRow;
  /** Rows of a page of the earlier start. */
  readOld(page: number): Promise<readonly PlannedRow[]>;
  write(page: number, rows: readonly PlannedRow[]): Promise<void>;
}

/**
 * Cuts a manifest into pages, in its order and in the memory of one page; pages of an earlier start stay as they were cut then, and new rows
 * make new pages. Rejects with `Validation`, naming the first mistakes by line, where any row is wrong or there is none, and with
 * `InputDiffers`, naming the first rows, where the earlier rows are not the manifest's beginning.
 */
export async function planPages(input: PlanInput): Promise<StoredPage[]> {
  const pages: StoredPage[] = [];
  const mistakes = new Mistakes();
  let page: PlannedRow[] = [];
  let bytes = 0;
  const finish = async (): Promise<void> => {
    const digest = pageDigest(page);
    const old = input.old[pages.length];
    if (old !== undefined && old.digest !== digest) await refuseOther(input, pages.length, page);
    await input.write(pages.length, page);
    pages.push({ rows: page.length, digest });
    page = [];
    bytes = 0;
  };
  for await (const item of input.rows) {
    if (isMistake(item)) {
      mistakes.add(item);
      continue;
    }
    if (mistakes.count > 0) continue;
    const row = input.planned(item);
    const size = Buffer.byteLength(JSON.stringify(row));
    const old = input.old[pages.length];
    const isFull = page.length >= input.pageRows || bytes + size > MAX_PAGE_BYTES;
    if (old === undefined && page.length > 0 && isFull) await finish();
    page.push(row);
    bytes += size;
    if (old !== undefined && page.length === old.rows) await finish();
  }
  mistakes.refuse();
  if (pages.length < input.old.length) await refuseOther(input, pages.length, page);
  if (page.length > 0) await finish();
  if (pages.length > 0) return pages;
  throw new MediaServiceError('Validation', 'The manifest holds no rows.', { field: 'manifest' });
}

/** What is wrong with a manifest, in constant memory. */
class Mistakes {
  count = 0;
  readonly #named: string[] = [];

  add({ line, column, message }: ManifestMistake): void {
    this.count += 1;
    if (this.#named.length >= MOST_NAMED) return;
    this.#named.push(`line ${String(line)}${column === undefined ? '' : `, ${column}`}: ${message}`);
  }

  refuse(): void {
    if (this.count === 0) return;
    const more = this.count - this.#named.length;
    throw new MediaServiceError(
      'Validation',
      `The manifest has ${String(this.count)} ${this.count === 1 ? 'mistake' : 'mistakes'}: ${this.#named.join('; ')}` +
        `${more > 0 ? `; and ${String(more)} more` : ''}.`,
      {
        field: 'manifest',
        details: { mistakes: this.count },
        hint: 'Nothing was uploaded. `media-service batch check` names them all.',
      },
    );
  }
}

async function refuseOther(input: PlanInput, page: number, rows: readonly PlannedRow[]): Promise<never> {
  const old = await input.readOld(page);
  const differing = old.flatMap((row, index) => difference(row, rows[index])).slice(0, MOST_NAMED);
  throw new MediaServiceError(
    'InputDiffers',
    `The manifest is not the one that the batch ${input.batchId} was started with. First rows that differ: ${differing.join('; ')}.`,
    {
      outcome: 'refused',
      field: 'manifest',
      details: { differs: differing.join('; ') },
      hint: 'A batch takes the same rows again, and new ones at their end. Start changed rows as another batch, or bring the manifest back.',
    },
  );
}

function difference(old: PlannedRow, now: PlannedRow | undefined): string[] {
  if (now?.digest === old.digest) return [];
  const was = `"${old.row.id}" (line ${String(old.row.line)})`;
  if (now === undefined) return [`${was} is missing`];
  if (now.row.id !== old.row.id)
    return [`"${now.row.id}" (line ${String(now.row.line)}) stands in the place of ${was}`];
  const [then, here] = [cellsOf(old.row), cellsOf(now.row)];
  const cells = [...new Set([...then.keys(), ...here.keys()])].filter(
    (name) => then.get(name) !== here.get(name),
  );
  // Of an address, what is shown can be the same.
  return [`${was} differs in ${cells.length === 0 ? 'source' : cells.join(' and ')}`];
}

/** What a row says, by the names that a manifest has for it. */
function cellsOf({ source, media, metadata }: ManifestRow): Map<string, string> {
  const cells = Object.entries({ source, ...media, metadata }).filter(([, value]) => value !== undefined);
  return new Map(cells.map(([name, value]) => [name, canonicalJson(value)]));
}
