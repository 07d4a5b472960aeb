import { csvFields, csvRecords, withoutLineEnd } from './csv-records';

export interface CsvNotice {
  /**
   * `headerDiffers`: a later page begins with another header. The line is kept, so that the records after it stay
   * readable. `headerMissing`: a page begins with data.
   */
  readonly kind: 'headerDiffers' | 'headerMissing';
  /** Counted from 1 in the order of joining. */
  readonly page: number;
  /** A sentence for people; names columns, never values. */
  readonly message: string;
}

/** A page as `read` understood it. */
interface CsvPage {
  /** Without the header. */
  readonly records: number;
  /** What `append` will append. */
  readonly lines: readonly string[];
  /** Equal for equal records. */
  readonly data: string;
  /** The header for the following records, in comparable form. */
  readonly header: string | undefined;
  /** The first line break seen in all pages so far. */
  readonly lineEnd: string | undefined;
  readonly notice?: CsvNotice;
}

interface CsvJoin {
  /** Reads the next page without adding it. */
  read(text: string): CsvPage;
  /** Adds the page that was read last, and returns the text to append. */
  append(page: CsvPage): string;
}

const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Joins pages of CSV as text. Every record stays unchanged, and the header appears once. A page without a final line
 * break gets one before the next page. A byte order mark stays only at the very beginning. Only repeated headers and
 * blank lines at a page's end are left out.
 */
export function createCsvJoin(): CsvJoin {
  let pages = 0;
  let begun = false;
  let header: string | undefined;
  let lineEnd: string | undefined;
  /** The text appended last does not end in a line break. */
  let open = false;

  return {
    read(text) {
      const marked = text.startsWith(BYTE_ORDER_MARK);
      const records = withoutBlankEnd(csvRecords(marked ? text.slice(1) : text));
      const top = records[0];
      if (top === undefined) return { records: 0, lines: [], data: '', header, lineEnd };
      const first = !begun;
      const { isHeader, isRepeated, notice } = judgeTop({ top, header, first, page: pages + 1 });
      const data = isHeader ? records.slice(1) : records;
      const lines = isRepeated ? data : records;
      return {
        records: data.length,
        lines: first && marked ? [BYTE_ORDER_MARK, ...lines] : lines,
        data: data.join(''),
        header: isHeader ? comparable(top) : header,
        lineEnd: lineEnd ?? lineEndOf(records),
        ...(notice === undefined ? {} : { notice }),
      };
    },
    append(page) {
      pages += 1;
      header = page.header;
      lineEnd = page.lineEnd;
      const last = page.lines.at(-1);
      if (last === undefined) return '';
      begun = true;
      const joint = open ? (lineEnd ?? '\n') : '';
      open = withoutLineEnd(last) === last;
      return joint + page.lines.join('');
    },
  };
}

interface Top {
  readonly top: string;
  readonly header: string | undefined;
  readonly first: boolean;
  readonly page: number;
}

function judgeTop({ top, header, first, page }: Top): {
  isHeader: boolean;
  isRepeated: boolean;
  notice?: CsvNotice;
} {
  if (header !== undefined && comparable(top) === header) return { isHeader: true, isRepeated: true };
  // A file that began without a header has none: a line that looks like one may be a record.
  if (header === undefined && !first) return { isHeader: false, isRepeated: false };
  const isHeader = looksLikeHeader(csvFields(top), header);
  if (first && isHeader) return { isHeader, isRepeated: false };
  if (!isHeader) {
    const message = `Page ${page} has no header line; its records are kept as they are.`;
    return { isHeader, isRepeated: false, notice: { kind: 'headerMissing', page, message } };
  }
  const columns = csvFields(top).join(', ').slice(0, 300);
  const message = `Page ${page} has another header (${columns}); the output keeps this line, and the records after it have its columns.`;
  return { isHeader, isRepeated: false, notice: { kind: 'headerDiffers', page, message } };
}

/**
 * A header names columns: no field is empty, a number, a date, a status or an address. After a known header it must
 * share a column with it.
 */
function looksLikeHeader(fields: readonly string[], header: string | undefined): boolean {
  if (fields.some((field) => !/^[\p{L}_][\p{L}\p{N}_ .\-/()[\]#:]{0,79}$/u.test(field) || isValue(field)))
    return false;
  if (header === undefined) return new Set(fields).size === fields.length;
  const known = new Set(header.split('\u0000'));
  return fields.some((field) => known.has(field.toLowerCase()));
}

function isValue(field: string): boolean {
  return (
    /^(FAILED|SUCCESS|true|false|null)$/.test(field) ||
    /^https?:/i.test(field) ||
    /^[0-9a-f-]{32,36}$/i.test(field)
  );
}

function comparable(header: string): string {
  return csvFields(header)
    .map((field) => field.toLowerCase())
    .join('\u0000');
}

function withoutBlankEnd(records: readonly string[]): readonly string[] {
  let end = records.length;
  while (end > 0 && records[end - 1]?.trim() === '') end -= 1;
  return records.slice(0, end);
}

function lineEndOf(records: readonly string[]): string | undefined {
  const ended = records.find((record) => withoutLineEnd(record) !== record);
  return ended?.slice(withoutLineEnd(ended).length);
}
