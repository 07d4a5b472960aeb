/**
 * Returns the records of a CSV text unchanged, including line ends. Quoted fields may contain line breaks. LF, CRLF and
 * CR end a record. Blank lines are records too, so that the joined records are the text again. A quote inside a field
 * (`5" of rain`), and one that nothing closes, is text.
 */
export function csvRecords(text: string, quotes = quotedFields(text)): string[] {
  const records: string[] = [];
  let start = 0;
  for (let index = 0; index < text.length; index += 1) {
    index = quotes.endAt(index);
    const char = text[index];
    if (char !== '\n' && char !== '\r') continue;
    if (char === '\r' && text[index + 1] === '\n') index += 1;
    records.push(text.slice(start, index + 1));
    start = index + 1;
  }
  if (start < text.length) records.push(text.slice(start));
  return records;
}

interface QuotedFields {
  /** Where a quoted field that begins at an index ends: behind its last quote. Otherwise the index. */
  endAt(index: number): number;
  /** Whether a quote inside a quoted field was not doubled so far: then nobody knows where records end. */
  isStray(): boolean;
}

function quotedFields(text: string): QuotedFields {
  let canClose = true;
  let stray = false;
  const endOf = (from: number): number | undefined => {
    for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 1)) {
      if (text[at + 1] === '"') at += 1;
      else if (EDGES.has(text[at + 1])) return at + 1;
      else stray = true;
    }
    return undefined;
  };
  return {
    isStray: () => stray || !canClose,
    endAt(index) {
      if (!canClose || text[index] !== '"' || !EDGES.has(text[index - 1])) return index;
      const end = endOf(index + 1);
      // Without this, a text of opening quotes would be read again for each of them.
      canClose = end !== undefined;
      return end ?? index;
    },
  };
}

/** What is before and after a field. */
const EDGES: ReadonlySet<string | undefined> = new Set([undefined, ',', ';', '\t', '\n', '\r']);

/**
 * Returns a record's fields without quotes, for inspection. The separator is the first comma, semicolon or tab outside
 * quotes.
 */
export function csvFields(record: string): string[] {
  const line = withoutLineEnd(record);
  const separator = firstSeparator(line) ?? ',';
  const fields: string[] = [];
  let start = 0;
  const quotes = quotedFields(line);
  for (let index = 0; index <= line.length; index += 1) {
    index = quotes.endAt(index);
    if (index < line.length && line[index] !== separator) continue;
    fields.push(unquoted(line.slice(start, index)));
    start = index + 1;
  }
  return fields;
}

function firstSeparator(line: string): string | undefined {
  const quotes = quotedFields(line);
  for (let index = 0; index < line.length; index += 1) {
    const char = line[(index = quotes.endAt(index))];
    if (char === ',' || char === ';' || char === '\t') return char;
  }
  return undefined;
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
      const quotes = quotedFields(body);
      const records = withoutBlankEnd(csvRecords(body, quotes));
      const isExact = !quotes.isStray();
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
