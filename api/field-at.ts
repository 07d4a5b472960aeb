import { isJsonObject } from './json';
import type { JsonObject, JsonValue } from './json';

/**
 * The value at a path such as `payload.media.id`. A field whose own name holds the dots wins; case, `_` and `-` in names do not
 * matter where no field has the very name.
 */
export function valueAt(record: JsonObject, path: string): JsonValue | undefined {
  const whole = fieldOf(record, path);
  const dot = path.indexOf('.');
  if (whole !== undefined || dot === -1) return whole;
  const inner = fieldOf(record, path.slice(0, dot));
  return isJsonObject(inner) ? valueAt(inner, path.slice(dot + 1)) : undefined;
}

/** The first of the paths that holds a text or a number, as text: trimmed, numbers in digits. */
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
