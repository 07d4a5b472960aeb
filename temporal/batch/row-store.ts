import { open, unlink, type FileHandle } from 'node:fs/promises';
import { isJsonObject } from '../../api/json';
import { textLines } from '../../files/text-lines';
import { isPlannedRow, type PlannedRow } from './planned-row';

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
