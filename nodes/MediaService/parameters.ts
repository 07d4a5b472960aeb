import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { ValidationError } from '../../api/errors';
import { isJsonObject } from '../../api/json';
import type { JsonObject } from '../../api/json';

/** The fields of a collection, or a parameter's own value, as they came from the form or an expression. */
export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(context: IExecuteFunctions, name: string, itemIndex: number): Fields {
  const value: unknown = context.getNodeParameter(name, itemIndex, {});
  return isRecord(value) ? value : {};
}

/** A text, trimmed, or what a resource locator points to; undefined where it is empty. Numbers that an expression gives are texts too. */
export function textField(entry: unknown, name: string): string | undefined {
  const value = isRecord(entry) && entry['__rl'] === true ? entry['value'] : entry;
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' && typeof value !== 'number') {
    throw new ValidationError(
      name,
      `"${name}" is no text`,
      'Check the expression: it gives a list or an object.',
    );
  }
  const text = String(value).trim();
  return text === '' ? undefined : text;
}

/** A number; undefined where nothing is given. */
export function numberField(value: unknown, name: string): number | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const number = typeof value === 'string' ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number)) return number;
  throw new ValidationError(name, `"${name}" is no number`);
}

/** True or false; undefined where nothing is given. */
export function booleanField(value: unknown, name: string): boolean | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'boolean') return value;
  throw new ValidationError(name, `"${name}" is neither true nor false`);
}

/** One of the values; undefined where nothing is given. Any case is accepted. */
export function choiceField<T extends string>(
  value: unknown,
  name: string,
  choices: readonly T[],
): T | undefined {
  const text = textField(value, name)?.toUpperCase();
  if (text === undefined) return undefined;
  const found = choices.find((choice) => choice.toUpperCase() === text);
  if (found !== undefined) return found;
  throw new ValidationError(name, `"${name}" is none of ${choices.join(', ')}`);
}

/** A list of texts: a list from an expression, or one text with commas or line breaks between. Undefined where it is empty. */
export function listField(value: unknown, name: string): string[] | undefined {
  if (Array.isArray(value)) {
    return value.length === 0 ? undefined : value.map((element: unknown) => elementOf(element, name));
  }
  const texts = textField(value, name)
    ?.split(/[,\n]/)
    .map((text) => text.trim())
    .filter((text) => text !== '');
  return texts === undefined || texts.length === 0 ? undefined : texts;
}

function elementOf(element: unknown, name: string): string {
  const text = element === null ? undefined : textField(element, name);
  if (text !== undefined) return text;
  throw new ValidationError(
    name,
    `"${name}" holds an element that is empty or null`,
    'Remove it, for example with .filter(Boolean) in the expression.',
  );
}

/** A JSON object: from an expression, or as text. Undefined where it is empty. */
export function objectField(value: unknown, name: string): JsonObject | undefined {
  const json = typeof value === 'string' ? parsed(value, name) : value;
  if (json === undefined || json === null) return undefined;
  if (!isJsonObject(json)) {
    throw new ValidationError(name, `"${name}" is no JSON object`, 'Write it as {"key": "value"}.');
  }
  return Object.keys(json).length === 0 ? undefined : json;
}

function parsed(text: string, name: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return refuseJson(name);
  }
}

function refuseJson(name: string): never {
  throw new ValidationError(
    name,
    `"${name}" is no JSON`,
    'Write it as {"key": "value"}, with double quotes and no comma at the end.',
  );
}

/** The rows of a fixedCollection `{ <group>: [{…}, …] }`. */
export function rowsOf(value: unknown, group: string): Fields[] {
  const rows = isRecord(value) ? value[group] : undefined;
  return Array.isArray(rows) ? rows.filter(isRecord) : [];
}

export function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const RETURN_ALL: INodeProperties = {
  displayName: 'Return All',
  name: 'returnAll',
  type: 'boolean',
  default: false,
  description: 'Whether to return all results or only up to a given limit',
};

export const LIMIT: INodeProperties = {
  displayName: 'Limit',
  name: 'limit',
  type: 'number',
  typeOptions: { minValue: 1 },
  default: 50,
  displayOptions: { show: { returnAll: [false] } },
  description: 'Max number of results to return',
};

/** What `Return All` and `Limit` mean for an iteration. */
export function limitOf(context: IExecuteFunctions, itemIndex: number): { limit?: number } {
  if (booleanField(context.getNodeParameter('returnAll', itemIndex), 'Return All') === true) return {};
  const limit = numberField(context.getNodeParameter('limit', itemIndex), 'Limit');
  return limit === undefined ? {} : { limit };
}

/** The fields that are given: what is undefined is left out. */
export function given<T extends object>(fields: T): { [key in keyof T]?: Exclude<T[key], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [key in keyof T]?: Exclude<T[key], undefined> };
}
