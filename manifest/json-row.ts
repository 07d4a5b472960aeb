import { isJsonObject } from '../api/json';
import { COLUMNS, isColumn, tagKeyOf, unknownName } from './columns';
import { gatherFields, makeRow } from './make-row';
import type { RowRules } from './make-row';
import type { ManifestItem } from './row';

const ALL = `Fields are ${COLUMNS.join(', ')} and tags.`;

/** Reads one row of JSON: returns the row, or its first mistake. `null` means unset. */
export function readJsonRow(line: number, value: unknown, rules: RowRules): ManifestItem {
  if (!isJsonObject(value)) {
    const hint = 'Write it as {"source":"clip.mp4"}.';
    return { line, message: 'the row is JSON, but not an object', hint };
  }
  const flatTags: [string, unknown][] = [];
  const set = new Map<string, unknown>();
  for (const [name, field] of Object.entries(value)) {
    if (field === null) continue;
    const tag = tagKeyOf(name);
    if (tag !== undefined) flatTags.push([tag, field]);
    else if (name === 'tags' || isColumn(name)) set.set(name, field);
    else return { line, ...unknownName(name, { noun: 'field', all: ALL }) };
  }
  return makeRow(line, gatherFields(set, tagsOf(set.get('tags'), flatTags)), rules);
}

/**
 * Reads `"tags":{"project":"apollo"}`, as in the interface, or `"tags.project":"apollo"`, as in a CSV that was
 * converted to JSON.
 */
function tagsOf(tags: unknown, flat: readonly [string, unknown][]): unknown {
  if (flat.length === 0 || (tags !== undefined && !isJsonObject(tags))) return tags;
  return Object.fromEntries([...Object.entries(tags ?? {}), ...flat]);
}
