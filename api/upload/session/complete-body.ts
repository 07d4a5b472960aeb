import { ConfigurationError } from '../../errors';
import type { JsonObject, JsonValue } from '../../json';
import { isJsonObject } from '../../json';
import { unquoted } from '../answers/session-shape';
import type { CompleteInput } from '../upload-steps';

const PLACEHOLDERS = ['parts', 'uploadId', 'partNumber', 'eTag'] as const;
type Placeholder = (typeof PLACEHOLDERS)[number];
type Values = Readonly<Partial<Record<Placeholder, JsonValue>>>;

/** Replaces a placeholder while the template is parsed as JSON. No key or text of a template starts with it. */
const MARK = '\u0000';

/**
 * Fills the template of the body of `complete`: parts ascending, ETags unquoted. `{parts}` becomes the array of
 * `{partNumber, eTag}`, `{uploadId}` the id. For other field names, an array with a single pattern represents all
 * parts: `{"parts":[{"PartNumber":{partNumber},"ETag":{eTag}}]}`. Throws a `ConfigurationError` for a template that is
 * not JSON or lacks the parts.
 */
export function completeBody(template: string, { uploadId, parts }: CompleteInput): string {
  const pattern = parseTemplate(template);
  const ascending = [...parts]
    .sort((one, other) => one.partNumber - other.partNumber)
    .map(({ partNumber, eTag }) => ({ partNumber, eTag: unquoted(eTag) }));
  return JSON.stringify(fill(pattern, { uploadId, parts: ascending }, ascending));
}

function parseTemplate(template: string): JsonValue {
  let marked = template;
  for (const name of PLACEHOLDERS) {
    const mark = JSON.stringify(`${MARK}${name}`);
    marked = marked.replaceAll(`"{${name}}"`, mark).replaceAll(`{${name}}`, mark);
  }
  const each = template.includes('{partNumber}') && template.includes('{eTag}');
  if (!template.includes('{parts}') && !each) throw malformed('lacks {parts}');
  try {
    return JSON.parse(marked) as JsonValue;
  } catch {
    throw malformed('is not JSON once its placeholders are filled in');
  }
}

function fill(pattern: JsonValue, values: Values, parts: readonly JsonObject[]): JsonValue {
  if (typeof pattern === 'string' && pattern.startsWith(MARK)) return valueOf(pattern, values);
  if (Array.isArray(pattern)) {
    const [only] = pattern;
    return only !== undefined && pattern.length === 1 && isOfPart(only)
      ? parts.map((part) => fill(only, { ...values, ...part }, parts))
      : pattern.map((child) => fill(child, values, parts));
  }
  if (!isJsonObject(pattern)) return pattern;
  return Object.fromEntries(Object.entries(pattern).map(([key, child]) => [key, fill(child, values, parts)]));
}

function valueOf(marked: string, values: Values): JsonValue {
  const name = PLACEHOLDERS.find((one) => marked === `${MARK}${one}`);
  const value = name === undefined ? undefined : values[name];
  if (value !== undefined) return value;
  throw malformed('has {partNumber} or {eTag} outside of an array with one pattern');
}

function isOfPart(pattern: JsonValue): boolean {
  const text = JSON.stringify(pattern);
  return ['partNumber', 'eTag'].some((name) => text.includes(JSON.stringify(`${MARK}${name}`)));
}

function malformed(what: string): ConfigurationError {
  return new ConfigurationError(
    'completeBody',
    `the template of the body of complete ${what}`,
    'Write it as {"parts":{parts}} or {"parts":[{"PartNumber":{partNumber},"ETag":{eTag}}]}.',
  );
}
