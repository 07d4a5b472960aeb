import { isJsonObject, parseExact } from '../../api/json';
import { COLUMNS, isColumn, tagKeyOf, unknownName } from '../columns';
import { makeRow, withReadable } from '../make-row';
import type { RowRules } from '../make-row';
import { isMistake } from '../row';
import type { ManifestItem, ManifestMistake, ManifestRow } from '../row';
import { gatherFields } from '../row-fields';
import type { RowFields } from '../row-fields';
import type { TextBytes } from '../text-head';
import { repeatedKey } from './repeated-key';
import { LineScanner } from './json-lines';
import type { JsonLine } from './json-lines';

const ALL = `Fields are ${COLUMNS.join(', ')} and tags.`;

interface ReadJsonLinesRules extends RowRules {
  readonly maxRowBytes: number;
}

/** Yields rows and mistakes of a manifest with one JSON object per line, chunk by chunk. It skips blank lines. */
export async function* readJsonLines(
  { bytes }: TextBytes,
  { maxRowBytes, ...rules }: ReadJsonLinesRules,
): AsyncGenerator<readonly ManifestItem[], void, undefined> {
  const scanner = new LineScanner(maxRowBytes);
  for await (const chunk of bytes) yield scanner.scan(chunk).flatMap((line) => itemsOf(line, rules));
  yield scanner.end().flatMap((line) => itemsOf(line, rules));
}

function itemsOf({ line, text = '', flaw }: JsonLine, rules: RowRules): readonly ManifestItem[] {
  if (flaw !== undefined) return [{ line, ...flaw }];
  let value: unknown;
  try {
    value = parseExact(text);
  } catch {
    return [{ line, message: 'the line is not JSON', hint: 'Write one JSON object on one line.' }];
  }
  const repeated = repeatedKey(text);
  if (repeated === undefined) return readJsonRow(line, value, rules);
  const column = repeated.slice(0, 60);
  return [{ line, column, message: `the field ${column} occurs twice`, hint: 'Remove one.' }];
}

/** Reads one row of JSON: returns the row, or everything that is wrong with it. `null` means unset. */
export function readJsonRow(line: number, value: unknown, rules: RowRules): readonly ManifestItem[] {
  if (!isJsonObject(value)) {
    return [
      { line, message: 'the row is JSON, but not an object', hint: 'Write it as {"source":"clip.mp4"}.' },
    ];
  }
  const { fields, mistakes } = fieldsOf(line, value);
  const made: readonly ManifestItem[] = makeRow(line, fields, rules);
  if (mistakes.length === 0) return made;
  const row = made.find((item): item is ManifestRow => !isMistake(item));
  if (row === undefined) return [...mistakes, ...made];
  return withReadable(mistakes, { id: fields.id === undefined ? undefined : row.id, source: row.source });
}

function fieldsOf(
  line: number,
  object: Readonly<Record<string, unknown>>,
): { readonly fields: RowFields; readonly mistakes: readonly ManifestMistake[] } {
  const mistakes: ManifestMistake[] = [];
  const flatTags: [string, unknown][] = [];
  const set = new Map<string, unknown>();
  for (const [name, value] of Object.entries(object)) {
    if (value === null) continue;
    const tag = tagKeyOf(name);
    if (tag !== undefined) flatTags.push([tag, value]);
    else if (name === 'tags' || isColumn(name)) set.set(name, value);
    else mistakes.push({ line, ...unknownName(name, { noun: 'field', all: ALL }) });
  }
  return { mistakes, fields: gatherFields(set, tagsOf(set.get('tags'), flatTags)) };
}

/**
 * Reads `"tags":{"project":"apollo"}`, as in the interface, or `"tags.project":"apollo"`, as in a CSV that was
 * converted to JSON.
 */
function tagsOf(tags: unknown, flat: readonly [string, unknown][]): unknown {
  if (flat.length === 0 || (tags !== undefined && !isJsonObject(tags))) return tags;
  return Object.fromEntries([...Object.entries(tags ?? {}), ...flat]);
}
