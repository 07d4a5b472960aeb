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
function csvRecords(text: string): string[] {
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

function withoutLineEnd(record: string): string {
  return record.replace(/\r?\n$|\r$/, '');
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

const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Joins pages of CSV as text. Every record stays unchanged, and the header appears once. A page without a final line
 * break gets one before the next page. A byte order mark stays only at the very beginning. Only repeated headers and
 * blank lines at a page's end are left out. Another header on a later page is kept like a record.
 */
export function createCsvJoin() {
  let begun = false;
  let header: string | undefined;
  let lineEnd: string | undefined;
  /** The text appended last does not end in a line break. */
  let open = false;

  return {
    /** Reads the next page without adding it. */
    read(text: string): CsvPage {
      const marked = text.startsWith(BYTE_ORDER_MARK);
      const body = marked ? text.slice(1) : text;
      const records = withoutBlankEnd(csvRecords(body));
      const isExact = !hasStrayQuote(body);
      const top = records[0];
      if (top === undefined) return { records: 0, isExact, lines: [], data: '', header, lineEnd };
      const first = !begun;
      const isHeader = first ? !VALUE.test(top) : comparable(top) === header;
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
    /** Adds the page that was read last, and returns the text to append. */
    append(page: CsvPage): string {
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

/** What a header, which names columns, never has: a field that is empty, a number, a date, a status or an address. */
const VALUE = /(?:^|[,;\t])"?(?:-?\d|https?:|(?:failed|success|true|false|null)?"?(?=[,;\t\r\n]|$))/i;

function comparable(header: string): string {
  return header.trim().replaceAll('"', '').toLowerCase();
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
