import { isJsonObject } from '../../api/json';
import { COLUMNS, isColumn, suggestColumn, tagKeyOf } from '../columns';
import { makeRow, type RowFields, type RowRules } from '../make-row';
import type { ManifestMistake, ManifestRow } from '../row';
import type { TextBytes } from '../text-head';
import { LineScanner, type JsonLine } from './json-lines';

export interface ReadJsonLinesRules extends RowRules {
  readonly maxRowBytes: number;
}

/** Rows and mistakes of a manifest with one JSON object a line. Blank lines are left out. */
export async function* readJsonLines(
  { bytes }: TextBytes,
  { maxRowBytes, ...rules }: ReadJsonLinesRules,
): AsyncGenerator<ManifestRow | ManifestMistake, void, undefined> {
  const scanner = new LineScanner(maxRowBytes);
  for await (const chunk of bytes) {
    for (const line of scanner.scan(chunk)) yield* itemsOf(line, rules);
  }
  for (const line of scanner.end()) yield* itemsOf(line, rules);
}

function itemsOf(
  { line, text = '', flaw }: JsonLine,
  rules: RowRules,
): readonly (ManifestRow | ManifestMistake)[] {
  if (flaw !== undefined) return [{ line, ...flaw }];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [{ line, message: 'the line is not JSON', hint: 'Write one JSON object on one line.' }];
  }
  return readJsonRow(line, value, rules);
}

/** One row that came as JSON: the row, or everything that is wrong with it. `null` means unset. */
export function readJsonRow(
  line: number,
  value: unknown,
  rules: RowRules,
): readonly (ManifestRow | ManifestMistake)[] {
  if (!isJsonObject(value)) {
    return [{ line, message: 'the row is JSON, but no object', hint: 'Write it as {"source":"clip.mp4"}.' }];
  }
  const { fields, mistakes } = fieldsOf(line, value);
  const made = makeRow(line, fields, rules);
  return mistakes.length === 0 ? made : [...mistakes, ...made.filter((item) => 'message' in item)];
}

const MEDIA = ['fileType', 'title', 'creator', 'resolution', 'duration'] as const;
const INSIGHTS = ['isLibrary', 'includeInReport'] as const;

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
    else mistakes.push(unknownField(line, name));
  }
  const pick = (names: readonly string[]): Record<string, unknown> =>
    Object.fromEntries(names.filter((name) => set.has(name)).map((name) => [name, set.get(name)]));
  const insights = pick(INSIGHTS);
  const tags = tagsOf(set.get('tags'), flatTags);
  return {
    mistakes,
    fields: {
      ...pick(['source', 'id', 'metadata']),
      media: {
        ...pick(MEDIA),
        ...(tags === undefined ? {} : { tags }),
        ...(Object.keys(insights).length === 0 ? {} : { insights }),
      },
    },
  };
}

/** `"tags":{"project":"apollo"}`, as in the interface, or `"tags.project":"apollo"`, as a CSV turned into JSON has it. */
function tagsOf(tags: unknown, flat: readonly [string, unknown][]): unknown {
  if (flat.length === 0 || (tags !== undefined && !isJsonObject(tags))) return tags;
  return Object.fromEntries([...Object.entries(tags ?? {}), ...flat]);
}

function unknownField(line: number, name: string): ManifestMistake {
  const shown = name.length > 60 ? `${name.slice(0, 60)}…` : name;
  const meant = suggestColumn(name);
  const all = `Fields are ${COLUMNS.join(', ')} and tags.`;
  return {
    line,
    column: shown,
    message: `the field ${shown} is not known`,
    hint: meant === undefined ? all : `Is ${meant} meant? Else remove it.`,
  };
}
