import { isUtf8 } from 'node:buffer';
import { GrowingBytes } from '../growing-bytes';

export interface CsvRecord {
  /** The line where it begins, counted from 1. CRLF, LF and a single CR each end a line, also within quotes. */
  readonly line: number;
  readonly cells: readonly string[];
  /** Why the record can't be used. Then its cells must not be used either. */
  readonly flaws: readonly CsvFlaw[];
}

interface CsvFlaw {
  readonly line: number;
  /** Index of the cell. Unset: the whole record. */
  readonly cell?: number;
  readonly message: string;
  readonly hint: string;
}

/**
 * The position of the next byte in a cell. `quote`: after a quote within a quoted cell, which ends the cell or is the
 * first of a doubled quote.
 */
type At = 'begin' | 'plain' | 'quoted' | 'quote';

const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;
/** The cost of a cell besides its bytes, so that a row of empty cells is limited too. */
const CELL_BYTES = 16;
/** Max flaws to report for one row. */
const MAX_FLAWS = 20;

/**
 * Cuts the bytes of a CSV into records (RFC 4180; `separator` is one byte). It reports a flawed record with its line,
 * and continues after it. Memory: one record of at most `maxRecordBytes`. The caller may reuse a chunk once `scan` has
 * returned.
 */
export class CsvScanner {
  private at: At = 'begin';
  private line = 1;
  private afterCr = false;
  private readonly cell = new GrowingBytes();
  private cellLine = 1;
  private recordLine = 1;
  private recordBytes = 0;
  private cells: string[] = [];
  private flaws: CsvFlaw[] = [];
  private records: CsvRecord[] = [];

  constructor(
    private readonly separator: number,
    private readonly maxRecordBytes: number,
  ) {}

  /** Returns the records that end within this chunk. */
  scan(chunk: Uint8Array): CsvRecord[] {
    this.records = [];
    /** Start of the bytes that are not kept yet. */
    let from = 0;
    for (let index = 0; index < chunk.length; index += 1) {
      const byte = chunk[index];
      if (this.at === 'quoted') {
        if (byte === QUOTE) {
          this.keep(chunk, from, index);
          from = index + 1;
          this.at = 'quote';
        }
        this.countLine(byte);
      } else if (this.at === 'quote' && byte === QUOTE) {
        from = index;
        this.at = 'quoted';
      } else if (byte === this.separator) {
        this.endCell(chunk, from, index);
        from = index + 1;
        this.afterCr = false;
      } else if (byte === LF || byte === CR) {
        if (byte === CR || !this.afterCr) {
          this.endCell(chunk, from, index);
          this.endRecord();
        }
        from = index + 1;
        this.countLine(byte);
        this.recordLine = this.line;
      } else {
        if (byte === QUOTE && this.at === 'begin') from = index + 1;
        this.takeByte(byte);
      }
    }
    this.keep(chunk, from, chunk.length);
    return this.records;
  }

  /** Returns the last record if no line end follows it. */
  end(): CsvRecord[] {
    this.records = [];
    if (this.at === 'quoted') {
      this.recordBytes = 0;
      this.flaw(
        'the quote that begins this cell is never closed, so that everything below it belongs to the cell',
        'Close it; a quote within a quoted cell is written twice.',
        this.cellLine,
      );
    }
    if (this.at !== 'begin' || this.cells.length > 0) {
      this.endCell(new Uint8Array(0), 0, 0);
      this.endRecord();
    }
    return this.records;
  }

  private countLine(byte: number | undefined): void {
    if (byte === CR || (byte === LF && !this.afterCr)) this.line += 1;
    this.afterCr = byte === CR;
  }

  /** Handles a byte that neither ends the cell nor is within quotes. */
  private takeByte(byte: number | undefined): void {
    this.afterCr = false;
    if (this.at === 'quote') {
      this.flaw('text follows the quote that closes the cell', 'Write a quote within a quoted cell twice.');
    } else if (byte === QUOTE && this.at === 'plain') {
      this.flaw(
        'a cell that does not begin with a quote contains one',
        'Put the whole cell into quotes, and write each quote within it twice.',
      );
    }
    if (byte === QUOTE && this.at === 'begin') {
      this.at = 'quoted';
      this.cellLine = this.line;
    } else this.at = 'plain';
  }

  private keep(chunk: Uint8Array, from: number, to: number): void {
    if (to <= from) return;
    this.recordBytes += to - from;
    if (this.recordBytes > this.maxRecordBytes) this.cell.clear();
    else this.cell.append(chunk, from, to);
  }

  private endCell(chunk: Uint8Array, from: number, to: number): void {
    if (this.at === 'quote') this.pushCell(this.cell.view());
    else if (this.cell.length === 0) {
      this.recordBytes += to - from;
      this.pushCell(Buffer.from(chunk.buffer, chunk.byteOffset + from, to - from));
    } else {
      this.keep(chunk, from, to);
      this.pushCell(this.cell.view());
    }
    this.cell.clear();
    this.at = 'begin';
  }

  private pushCell(bytes: Buffer): void {
    this.recordBytes += CELL_BYTES;
    if (this.recordBytes > this.maxRecordBytes) {
      this.cells = [''];
      return;
    }
    const text = bytes.toString('utf8');
    if (!isUtf8(bytes)) {
      this.flaw('the cell is not valid UTF-8', 'Save the manifest as UTF-8 ("CSV UTF-8" in Excel).');
    } else if (text.includes('\0')) {
      this.flaw('the cell holds a NUL character', 'Remove it.');
    }
    this.cells.push(text);
  }

  private endRecord(): void {
    if (this.recordBytes > this.maxRecordBytes) {
      const message = `the row has more than ${String(this.maxRecordBytes)} bytes, ${String(CELL_BYTES)} counted for each cell`;
      const hint =
        'Look for a quote that is not closed; keep large data elsewhere and put its address into the metadata.';
      this.flaws = [{ line: this.recordLine, message, hint }];
    }
    this.records.push({ line: this.recordLine, cells: this.cells, flaws: this.flaws });
    this.cells = [];
    this.flaws = [];
    this.recordBytes = 0;
  }

  /** Reports one flaw for each cell. */
  private flaw(message: string, hint: string, line = this.line): void {
    const cell = this.cells.length;
    if (this.flaws.length === MAX_FLAWS || this.flaws.at(-1)?.cell === cell) return;
    this.flaws.push({ line, cell, message, hint });
  }
}
