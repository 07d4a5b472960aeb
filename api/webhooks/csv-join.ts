import { csvFields, csvRecords, withoutLineEnd } from './csv-records';

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
 * blank lines at a page's end are left out. Another header on a later page is kept like a record.
 */
export function createCsvJoin(): CsvJoin {
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
      const isHeader = first ? looksLikeHeader(csvFields(top)) : comparable(top) === header;
      const data = isHeader ? records.slice(1) : records;
      const lines = first ? records : data;
      return {
        records: data.length,
        lines: first && marked ? [BYTE_ORDER_MARK, ...lines] : lines,
        data: data.join(''),
        header: isHeader ? comparable(top) : header,
        lineEnd: lineEnd ?? lineEndOf(records),
      };
    },
    append(page) {
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

/** A header names columns: no field is empty, a number, a date, a status or an address. */
function looksLikeHeader(fields: readonly string[]): boolean {
  const isName = (field: string): boolean =>
    /^[\p{L}_][\p{L}\p{N}_ .\-/()[\]#:]{0,79}$/u.test(field) && !isValue(field);
  return fields.every(isName) && new Set(fields).size === fields.length;
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
