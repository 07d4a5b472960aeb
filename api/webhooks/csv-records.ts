/**
 * A field, and the separator or line end behind it. A quote that is neither doubled nor at an end is text, as is its
 * whole field.
 */
const FIELD = /("[^"]*(?:""[^"]*)*"(?=[,;\t\r\n]|$)|[^,;\t\r\n]*)(\r?\n|[\r,;\t]|$)/g;

const QUOTED = /^"[^"]*(?:""[^"]*)*"$/;

/**
 * Returns the records of a CSV text unchanged, including line ends. Quoted fields may contain line breaks. LF, CRLF and
 * CR end a record. Blank lines are left out at the end only. `isExact`: false if a field begins with a quote that nothing
 * closes: then nobody knows where records end.
 */
function csvRecords(text: string): { readonly all: readonly string[]; readonly isExact: boolean } {
  const all: string[] = [];
  let start = 0;
  let isExact = true;
  for (const { 0: whole, 1: field = '', 2: end = '', index } of text.matchAll(FIELD)) {
    if (field.startsWith('"') && !QUOTED.test(field)) isExact = false;
    const next = index + whole.length;
    if (next === start || (!/[\r\n]/.test(end) && next < text.length)) continue;
    all.push(text.slice(start, next));
    start = next;
  }
  while (all.at(-1)?.trim() === '') all.pop();
  return { all, isExact };
}

/** A page as `read` understood it. */
interface CsvPage {
  /** The records, without the header. */
  readonly items: readonly string[];
  /** False: stray quotes hide where records end, so their number may be wrong. */
  readonly isExact: boolean;
  /** What `append` will append. */
  readonly lines: readonly string[];
  /** The header for the following records, in comparable form. */
  readonly header: string | undefined;
  /** Its first line break, if it has one. */
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
  /** The first line break of all pages so far. */
  let lineEnd: string | undefined;
  /** The text appended last does not end in a line break. */
  let open = false;

  return {
    /** Reads the next page without adding it. */
    read(text: string): CsvPage {
      const marked = text.startsWith(BYTE_ORDER_MARK);
      const body = marked ? text.slice(1) : text;
      const ownEnd = /\r?\n|\r/.exec(body)?.[0];
      const { all, isExact } = csvRecords(body);
      const [top] = all;
      if (top === undefined) return { items: [], isExact, lines: [], header, lineEnd: ownEnd };
      const first = !begun;
      const isHeader = first ? !VALUE.test(top) : comparable(top) === header;
      const items = isHeader ? all.slice(1) : all;
      const lines = first ? all : items;
      return {
        items,
        isExact,
        lines: first && marked ? [BYTE_ORDER_MARK, ...lines] : lines,
        header: isHeader ? comparable(top) : header,
        lineEnd: ownEnd,
      };
    },
    /** Adds the page that was read last, and returns the text to append. */
    append(page: CsvPage): string {
      header = page.header;
      lineEnd ??= page.lineEnd;
      const last = page.lines.at(-1);
      if (last === undefined) return '';
      begun = true;
      const joint = open ? (lineEnd ?? '\n') : '';
      open = !/[\r\n]$/.test(last);
      return joint + page.lines.join('');
    },
  };
}

/** What a header, which names columns, never has: a field that is empty, a number, a date, a status or an address. */
const VALUE = /(?:^|[,;\t])"?(?:-?\d|https?:|(?:failed|success|true|false|null)?"?(?=[,;\t\r\n]|$))/i;

function comparable(header: string): string {
  return header.trim().replaceAll('"', '').toLowerCase();
}
