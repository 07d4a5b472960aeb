import { describe, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { CsvScanner, type CsvRecord } from '../../../../manifest/csv/csv-scanner';

const LIMIT = 1_000_000;

function scan(bytes: Uint8Array, pieceBytes = bytes.length, limit = LIMIT): CsvRecord[] {
  const scanner = new CsvScanner(','.charCodeAt(0), limit);
  const records: CsvRecord[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    records.push(...scanner.scan(bytes.subarray(at, at + pieceBytes)));
  }
  return [...records, ...scanner.end()];
}

const text = (value: string): CsvRecord[] => scan(Buffer.from(value));

/** Cells with everything that makes CSV difficult. */
const messy = fc.string({
  unit: fc.oneof(
    fc.constantFrom('"', ',', '\n', '\r', '\r\n', ' ', '\t', ';', 'ä', '漢', '🎬', '\u2028', '\ufeff'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }).filter((one) => !one.includes('\0')),
  ),
  maxLength: 20,
});
const lineEnds = fc.constantFrom('\n', '\r\n', '\r');
const table = fc.array(fc.array(messy, { minLength: 1, maxLength: 5 }), { maxLength: 8 });

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;
const linesOf = (value: string): number => value.split(/\r\n|\n|\r/).length - 1;

describe('the CSV scanner', () => {
  test('returns every cell and its first line, whatever the cells hold and wherever the bytes are cut', () => {
    fc.assert(
      fc.property(table, lineEnds, fc.integer({ min: 1, max: 40 }), (rows, lineEnd, pieceBytes) => {
        let line = 1;
        const expected = rows.map((cells) => {
          const record = { line, cells, flaws: [] };
          line += cells.reduce((sum, cell) => sum + linesOf(cell), 1);
          return record;
        });
        const csv = rows.map((cells) => cells.map(quoted).join(',') + lineEnd).join('');
        expect(scan(Buffer.from(csv), pieceBytes)).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  test('agrees with csv-parse on valid input', () => {
    fc.assert(
      fc.property(table, fc.boolean(), (rows, lastLineEnd) => {
        const cellOf = (cell: string): string => (/["\r\n,]/.test(cell) || cell === '' ? quoted(cell) : cell);
        const csv = rows.map((cells) => cells.map(cellOf).join(',')).join('\n') + (lastLineEnd ? '\n' : '');
        const theirs: unknown = parse(csv, {
          relax_column_count: true,
          record_delimiter: ['\n'],
          skip_empty_lines: false,
        });
        const ours = scan(Buffer.from(csv)).map(({ cells }) => cells);
        expect(ours).toEqual(theirs);
      }),
      { numRuns: 300 },
    );
  });

  test('accepts any bytes: lines never go back, and no record exceeds the limit', () => {
    const mess = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc
        .array(fc.constantFrom(0x22, 0x2c, 0x0a, 0x0d, 0x61, 0xff, 0x00), { maxLength: 300 })
        .map((bytes) => Uint8Array.from(bytes)),
    );
    fc.assert(
      fc.property(
        mess,
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 20, max: 400 }),
        (bytes, piece, limit) => {
          const records = scan(bytes, piece, limit);
          expect(records).toEqual(scan(bytes, bytes.length, limit));
          const lines = records.map(({ line }) => line);
          expect(lines).toEqual([...lines].sort((a, b) => a - b));
          for (const { cells, flaws } of records) {
            const size = cells.reduce((sum, cell) => sum + Buffer.byteLength(cell), 0);
            // A byte that is not UTF-8 becomes a character of three bytes, and its record is flawed.
            if (flaws.length === 0) expect(size).toBeLessThanOrEqual(limit);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  test.each<[label: string, csv: string | Buffer, line: number, message: RegExp]>([
    ['text behind a closing quote', 'a,b\n"x"y,z\nc,d\n', 2, /text follows the quote/],
    ['a quote within a plain cell', 'a,b\nx"y,z\nc,d\n', 2, /does not begin with a quote contains one/],
    ['bytes that are not UTF-8', Buffer.from('a,b\nx\xffy,z\nc,d\n', 'latin1'), 2, /not valid UTF-8/],
    ['a NUL', 'a,b\nx\0,z\nc,d\n', 2, /NUL character/],
  ])('reports %s with its line, and continues', (_label, csv, line, message) => {
    const records = scan(Buffer.from(csv));
    expect(records.map(({ flaws }) => flaws.length)).toEqual([0, 1, 0]);
    expect(records[1]?.flaws[0]).toMatchObject({ line, cell: 0, message: expect.stringMatching(message) });
    expect(records[2]).toEqual({ line: 3, cells: ['c', 'd'], flaws: [] });
  });

  test('joins a line feed only with a carriage return directly before it', () => {
    expect(text('a,b\r\nc\r,\nd').map(({ line, cells }) => [line, ...cells])).toEqual([
      [1, 'a', 'b'],
      [2, 'c'],
      [3, '', ''],
      [4, 'd'],
    ]);
  });

  test('names the line of a quote that is never closed', () => {
    const [, , open] = text('a\n"fine\n2"\nb,"never\nclosed\n,\n');
    expect(open?.flaws).toEqual([
      expect.objectContaining({ line: 4, cell: 1, message: expect.stringContaining('never closed') }),
    ]);
  });

  test('drops a record that is too long, and continues after it', () => {
    const records = scan(Buffer.from(`a,b\n"${'x'.repeat(500)}\n",y\nc,d\n`), 7, 200);
    expect(records.map(({ line }) => line)).toEqual([1, 2, 4]);
    expect(records[1]?.flaws).toEqual([
      expect.objectContaining({
        line: 2,
        message: 'the row has more than 200 bytes, 16 counted for each cell',
      }),
    ]);
    expect(records[1]?.cells.join('')).toBe('');
    expect(records[2]?.cells).toEqual(['c', 'd']);
  });

  test('also limits a record that holds only separators', () => {
    const [record] = scan(Buffer.from(','.repeat(100_000)), 1000, 1000);
    expect(record?.flaws[0]?.message).toContain('more than 1000 bytes');
    expect(record?.cells.length).toBeLessThan(100);
  });
});
