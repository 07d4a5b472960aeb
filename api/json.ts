/** JSON as the interface sends and accepts it. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return isRecord(value);
}

/** An object with fields of any kind, but no list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns the value as JSON with sorted object fields, so that equal values give equal texts. Lists keep their order.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, field: unknown) =>
    isRecord(field) ? Object.fromEntries(Object.entries(field).sort(([a], [b]) => (a < b ? -1 : 1))) : field,
  );
}

/** The fields without those that are undefined. */
export function given<T extends object>(fields: T): { [Name in keyof T]?: Exclude<T[Name], undefined> };
export function given(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/**
 * Returns the value of a JSON text with exact integers: one that a number can't hold, such as an id of 64 bits, becomes
 * the text of its digits. Throws a `SyntaxError` that quotes the text.
 */
export function parseExact(text: string): unknown {
  return /\d{16}/.test(text) ? JSON.parse(text, exactInteger) : JSON.parse(text);
}

function exactInteger(_key: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
  return typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? source : value;
}

/** The value of a JSON text as `parseExact` reads it, or undefined if it is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}

/** Fills a template of JSON: a placeholder such as `{uploadId}`, with or without quotes, becomes its value. */
export function filledJson(template: string, values: Readonly<Record<string, unknown>>): string {
  return template.replace(
    /"\{(\w+)\}"|\{(\w+)\}/g,
    (whole: string, quoted: string | undefined, bare: string) => {
      const value = values[quoted ?? bare];
      return value === undefined ? whole : JSON.stringify(value);
    },
  );
}

export function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

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
  return paths.map((path) => textOf(valueAt(record, path))).find((text) => text !== undefined);
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
