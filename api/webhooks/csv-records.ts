/**
 * Returns the records of a CSV text unchanged, including line ends. Quoted fields may contain line breaks. LF, CRLF and
 * CR end a record. Blank lines are records too, so that the joined records are the text again.
 */
export function csvRecords(text: string): string[] {
  const records: string[] = [];
  let start = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index];
    if (char === '"') quoted = !quoted;
    if (quoted || (char !== '\n' && char !== '\r')) continue;
    if (char === '\r' && text[index + 1] === '\n') index += 1;
    records.push(text.slice(start, index + 1));
    start = index + 1;
  }
  if (start < text.length) records.push(text.slice(start));
  return records;
}

/**
 * Returns a record's fields without quotes, for inspection. The separator is the first comma, semicolon or tab outside
 * quotes.
 */
export function csvFields(record: string): string[] {
  const line = withoutLineEnd(record);
  const separator = firstSeparator(line) ?? ',';
  const fields: string[] = [];
  let start = 0;
  let quoted = false;
  for (let index = 0; index <= line.length; index += 1) {
    if (line[index] === '"') quoted = !quoted;
    if (index < line.length && (quoted || line[index] !== separator)) continue;
    fields.push(unquoted(line.slice(start, index)));
    start = index + 1;
  }
  return fields;
}

/**
 * A loop, not a pattern: a pattern for quoted fields also tries each doubled quote as an end, and takes exponential
 * time.
 */
function firstSeparator(line: string): string | undefined {
  let quoted = false;
  for (const char of line) {
    if (char === '"') quoted = !quoted;
    else if (!quoted && (char === ',' || char === ';' || char === '\t')) return char;
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
