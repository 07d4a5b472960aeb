import { isJsonObject } from './json';
import type { JsonObject, JsonValue } from './json';

/**
 * Returns the value at a path such as `payload.media.id`. A field whose own name contains the dots comes first. If no
 * field has exactly this name, case, `_` and `-` do not matter.
 */
export function valueAt(record: JsonObject, path: string): JsonValue | undefined {
  const whole = fieldOf(record, path);
  const dot = path.indexOf('.');
  if (whole !== undefined || dot === -1) return whole;
  const inner = fieldOf(record, path.slice(0, dot));
  return isJsonObject(inner) ? valueAt(inner, path.slice(dot + 1)) : undefined;
}

/** Returns the value of the first path that holds a text or a number, as text: trimmed, numbers in digits. */
export function textAt(record: JsonObject, paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const found = textOf(valueAt(record, path));
    if (found !== undefined) return found;
  }
  return undefined;
}

function fieldOf(record: JsonObject, name: string): JsonValue | undefined {
  if (Object.hasOwn(record, name)) return record[name];
  const wanted = plain(name);
  const found = Object.keys(record).find((key) => plain(key) === wanted);
  return found === undefined ? undefined : record[found];
}

function plain(name: string): string {
  const bare = name.replace(/[_-]/g, '').toLowerCase();
  return bare === '' ? name : bare;
}

function textOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'number') return String(value);
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? undefined : text;
}
