import { mkdtemp, open, rm, unlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { MediaServiceError } from '../../../api/errors';
import { Repeats } from '../../../manifest/check/repeats';
import type { ManifestRow } from '../../../manifest/row';
import { isPlannedRow, pageDigest } from './planned-row';
import type { PlannedRow } from './planned-row';
import type { PlanInput } from './plan-pages';
import { canonicalJson, isJsonObject } from '../../../api/json';
import { textLines } from '../../../files/append-file';

/** Offset of an old row that the manifest no longer contains unchanged. */
const NOWHERE = -1;

interface MovedRows extends Pick<PlanInput, 'old' | 'batchId' | 'tempDir' | 'readOld' | 'write'> {
  readonly rows: AsyncIterable<PlannedRow>;
  /** The first old page whose rows must be found. The pages before it were found already. */
  readonly from: number;
}

/**
 * Finds the rows of old pages anywhere among `rows`, writes these pages, and then yields the new rows in their order.
 * Writes nothing before it has found all old rows. If some changed or are missing, rejects with `InputDiffers`, which
 * names the first of them. Memory: one page, what `Repeats` keeps, and 8 bytes for each old row. The rows themselves
 * are in a temporary file.
 */
export async function* addedRows(input: MovedRows): AsyncGenerator<PlannedRow, void, undefined> {
  const folder = await mkdtemp(join(input.tempDir, 'media-service-batch-'));
  try {
    const spool = await RowStore.create(join(folder, 'rows'));
    try {
      const offsets = await findOldRows(input, spool, folder);
      if (offsets.includes(NOWHERE)) await refuseOther(input, spool, offsets);
      await writeOldPages(input, spool, offsets);
      yield* spool.rowsBesides(offsets.sort());
    } finally {
      await spool.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The offset in the row store of each old row, in the order of the pages. The row store then contains all rows. */
async function findOldRows(input: MovedRows, spool: RowStore, folder: string): Promise<Float64Array> {
  // For `Repeats`, the line of an old row is its number, and the line of a new row is its offset in the row store. So
  // a repeated digest means that an old row was found.
  const repeats = new Repeats(folder);
  let count = 0;
  for await (const { digest } of oldRows(input)) {
    await repeats.add(digest, count);
    count += 1;
  }
  for await (const row of input.rows) await repeats.add(row.digest, await spool.add(row));
  await spool.flush();
  const offsets = new Float64Array(count).fill(NOWHERE);
  for await (const { line, firstLine } of repeats.found()) offsets[firstLine] = line;
  return offsets;
}

async function* oldRows({ old, from, readOld }: MovedRows): AsyncGenerator<PlannedRow, void, undefined> {
  for (const [index, { digest }] of old.slice(from).entries()) {
    const rows = await readOld(from + index);
    if (pageDigest(rows) !== digest) throw otherRows(from + index);
    yield* rows;
  }
}

function otherRows(page: number): MediaServiceError {
  return new MediaServiceError(
    'Internal',
    `The rows of page ${String(page)} in the batch's folder are not the rows in its plan.json.`,
    { hint: 'Restore the folder, or start the manifest as a new batch with another folder.' },
  );
}

async function writeOldPages(
  { old, from, write }: MovedRows,
  spool: RowStore,
  offsets: Float64Array,
): Promise<void> {
  let first = 0;
  for (const [index, { rows }] of old.slice(from).entries()) {
    const rowOffsets = [...offsets.subarray(first, first + rows)];
    await write(from + index, await Promise.all(rowOffsets.map((offset) => spool.rowAt(offset))));
    first += rows;
  }
}

async function refuseOther(input: MovedRows, spool: RowStore, offsets: Float64Array): Promise<never> {
  const lost = offsets.filter((offset) => offset === NOWHERE).length;
  async function* lostRows(): AsyncGenerator<PlannedRow, void, undefined> {
    let number = 0;
    for await (const row of oldRows(input)) {
      if (offsets[number] === NOWHERE) yield row;
      number += 1;
    }
  }
  const others = (): AsyncIterable<PlannedRow> =>
    spool.rowsBesides(offsets.filter((offset) => offset !== NOWHERE).sort());
  const differing = await rowDifferences(lostRows(), others);
  const more = lost - differing.length;
  throw new MediaServiceError(
    'InputDiffers',
    `The manifest is not the one that the batch ${input.batchId} was started with. First rows that differ: ${differing.join('; ')}` +
      `${more > 0 ? `; and ${String(more)} more` : ''}.`,
    {
      outcome: 'refused',
      field: 'manifest',
      details: { differs: differing.join('; ') },
      hint:
        'Restore these rows, or start the changed manifest as a new batch with another id. You may add rows and change their order, but not change or remove earlier rows. ' +
        'Keep the rows of files that you removed: they stay completed.',
    },
  );
}

const BUFFER_BYTES = 256 * 1024;
/** Most rows are shorter. */
const ROW_BYTES = 2 * 1024;
const LF = 0x0a;

/** Any number of rows in a temporary file. The offset of its first byte identifies each row. */
export class RowStore {
  #pieces: Buffer[] = [];
  #buffered = 0;
  #bytes = 0;

  private constructor(private readonly file: FileHandle) {}

  static async create(path: string): Promise<RowStore> {
    const file = await open(path, 'wx+', 0o600);
    // The open file disappears when this process ends, even after a crash.
    await unlink(path);
    return new RowStore(file);
  }

  /** Adds a row and returns the offset at which it begins. */
  async add(row: PlannedRow): Promise<number> {
    const line = Buffer.from(`${JSON.stringify(row)}\n`);
    const offset = this.#bytes;
    this.#pieces.push(line);
    this.#bytes += line.length;
    this.#buffered += line.length;
    if (this.#buffered > BUFFER_BYTES) await this.flush();
    return offset;
  }

  /** Must be called after the last row is added and before any row is read. */
  async flush(): Promise<void> {
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#buffered = 0;
    await this.file.appendFile(Buffer.concat(pieces));
  }

  async rowAt(offset: number): Promise<PlannedRow> {
    for (let bytes = ROW_BYTES; ; bytes *= 8) {
      const { buffer, bytesRead } = await this.file.read(Buffer.allocUnsafe(bytes), 0, bytes, offset);
      const end = buffer.subarray(0, bytesRead).indexOf(LF);
      if (end !== -1) return rowOf(buffer.toString('utf8', 0, end));
      if (bytesRead < bytes) throw new Error('No row ends after this offset.');
    }
  }

  /** All rows in their order, except those that begin at `offsets`. `offsets` must ascend. */
  async *rowsBesides(offsets: Float64Array): AsyncGenerator<PlannedRow, void, undefined> {
    let [offset, left] = [0, 0];
    for await (const text of textLines(this.file.createReadStream({ start: 0, autoClose: false }))) {
      if (offsets[left] === offset) left += 1;
      else yield rowOf(text);
      offset += Buffer.byteLength(text) + 1;
    }
  }

  close(): Promise<void> {
    return this.file.close();
  }
}

function rowOf(text: string): PlannedRow {
  const json: unknown = JSON.parse(text);
  if (isJsonObject(json) && isPlannedRow(json)) return json;
  throw new Error('The temporary file has something other than rows.');
}

/** The maximum number of rows that an error names. */
const MAX_NAMED = 10;

/**
 * Describes the first rows that the earlier manifest contained and this one does not: which of their cells changed, or
 * that they are missing. `others`: the rows that the earlier manifest did not contain; called once.
 */
async function rowDifferences(
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
