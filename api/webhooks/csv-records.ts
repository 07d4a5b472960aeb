/**
 * Returns the records of a CSV text unchanged, including line ends. Quoted fields may contain line breaks. LF, CRLF and
 * CR end a record. Blank lines are records too, so that the joined records are the text again. A quote inside a field
 * (`5" of rain`), and one that nothing closes, is text.
 */
export function csvRecords(text: string): string[] {
  const records: string[] = [];
  let start = 0;
  const quotes = quotedFields(text);
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

/** Finds where a quoted field that begins at an index ends: behind its last quote. Otherwise returns the index. */
function quotedFields(text: string): { endAt(index: number): number } {
  let canClose = true;
  const endOf = (from: number): number | undefined => {
    for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 1)) {
      if (text[at + 1] === '"') at += 1;
      else if (EDGES.has(text[at + 1])) return at + 1;
    }
    return undefined;
  };
  return {
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

export function withoutLineEnd(record: string): string {
  return record.replace(/\r?\n$|\r$/, '');
}

function unquoted(field: string): string {
  const inside = /^\s*"([\s\S]*)"\s*$/.exec(field)?.[1];
  return inside === undefined ? field.trim() : inside.replaceAll('""', '"');
}
