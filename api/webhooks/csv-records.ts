/**
 * A field, and the separator or line end behind it. A quote that is neither doubled nor at an end is text, as is its
 * whole field.
 */
const FIELD = /("[^"]*(?:""[^"]*)*"(?=[,;\t\r\n]|$)|[^,;\t\r\n]*)(\r?\n|[\r,;\t]|$)/g;

const QUOTED = /^"[^"]*(?:""[^"]*)*"$/;

/** Whether a field begins with a quote that nothing closes: then nobody knows where records end. */
function hasStrayQuote(text: string): boolean {
  return [...text.matchAll(FIELD)].some(([, field = '']) => field.startsWith('"') && !QUOTED.test(field));
}

/**
 * Returns the records of a CSV text unchanged, including line ends. Quoted fields may contain line breaks. LF, CRLF and
 * CR end a record. Blank lines are records too, so that the joined records are the text again.
 */
export function csvRecords(text: string): string[] {
  const records: string[] = [];
  let start = 0;
  for (const { 0: field, 2: end = '', index } of text.matchAll(FIELD)) {
    const next = index + field.length;
    if (next === start || (!/[\r\n]/.test(end) && next < text.length)) continue;
    records.push(text.slice(start, next));
    start = next;
  }
  return records;
}

/**
 * Returns a record's fields without quotes, for inspection. The separator is the first comma, semicolon or tab outside
 * quotes.
 */
export function csvFields(record: string): string[] {
  const line = withoutLineEnd(record);
  const separator = [...line.matchAll(FIELD)].find(([, , end]) => end !== '')?.[2] ?? ',';
  const fields: string[] = [];
  let text = '';
  for (const [piece, , end = ''] of line.matchAll(FIELD)) {
    text += piece;
    // Another separator is text.
    if (end !== '' && end !== separator) continue;
    fields.push(unquoted(text.slice(0, text.length - end.length)));
    if (end === '') break;
    text = '';
  }
  return fields;
}

function withoutLineEnd(record: string): string {
  return record.replace(/\r?\n$|\r$/, '');
}

function unquoted(field: string): string {
  const inside = /^\s*"([\s\S]*)"\s*$/.exec(field)?.[1];
  return inside === undefined ? field.trim() : inside.replaceAll('""', '"');
}

/** A page as `read` understood it. */
interface CsvPage {
  /** Without the header. */
  readonly records: number;
  /** False: stray quotes hide where records end, so `records` may be wrong. */
  readonly isExact: boolean;
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
      const body = marked ? text.slice(1) : text;
      const records = withoutBlankEnd(csvRecords(body));
      const isExact = !hasStrayQuote(body);
      const top = records[0];
      if (top === undefined) return { records: 0, isExact, lines: [], data: '', header, lineEnd };
      const first = !begun;
      const isHeader = first ? looksLikeHeader(csvFields(top)) : comparable(top) === header;
      const data = isHeader ? records.slice(1) : records;
      const lines = first ? records : data;
      return {
        records: data.length,
        isExact,
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
