import type { IExecuteFunctions } from 'n8n-workflow';
import { wrongField } from '../../api/errors';
import { given, isJsonObject, isRecord, parsedJson } from '../../api/json';
import type { JsonObject } from '../../api/json';
import { checkPaging } from '../../api/pages/each-page';
import { field, switchField } from '../../n8n/form-fields';
import { isTool } from './node-execution';

/** The fields of a collection, from the form or expressions. A field without a value, also null, is not given. */
export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(context: IExecuteFunctions, name: string, itemIndex: number): Fields {
  return recordOf(context.getNodeParameter(name, itemIndex, {}));
}

/** A collection's value as `Fields`. */
export function recordOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

/** The value of a required field. */
export function required<T>(value: T | undefined, name: string, hint = FILL_IN): T {
  if (value !== undefined) return value;
  throw wrongField(name, 'is empty', hint);
}

const FILL_IN = 'Fill it in, or check its expression.';

/** The text of a required field of the form. */
export function requiredText(
  context: IExecuteFunctions,
  { name, hint }: { readonly name: string; readonly hint?: string | undefined },
  itemIndex: number,
): string {
  // What was chosen from a list is an object with the text.
  const value: unknown = context.getNodeParameter(name, itemIndex, undefined, { extractValue: true });
  return required(textField(value, name), name, hint);
}

/** Whether the node waits until the service has processed everything. */
export function waitOf(context: IExecuteFunctions, itemIndex: number): boolean {
  return required(booleanField(context.getNodeParameter('wait', itemIndex), 'wait'), 'wait');
}

/** A trimmed text. Undefined if it is empty. Also accepts numbers from an expression. */
export function textField(value: unknown, name: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' && typeof value !== 'number') {
    throw wrongField(
      name,
      'must be text',
      'Check the expression: it returned true or false, a list or an object.',
    );
  }
  const text = String(value).trim();
  return text === '' ? undefined : text;
}

const isMissing = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

/** A number, or undefined if the field is missing. */
export function numberField(value: unknown, name: string): number | undefined {
  if (isMissing(value)) return undefined;
  const number = typeof value === 'string' ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number)) return number;
  throw wrongField(name, 'must be a number', 'Check what its expression returns.');
}

/** True or false, or undefined if the field is missing. Also accepts the texts that AI agents and tables give. */
export function booleanField(value: unknown, name: string): boolean | undefined {
  if (isMissing(value)) return undefined;
  const text = typeof value === 'string' ? value.trim().toLowerCase() : value;
  if (text === true || text === 'true') return true;
  if (text === false || text === 'false') return false;
  throw wrongField(name, 'must be true or false', 'Check what its expression returns.');
}

/** One of the values in any case, or undefined if the field is missing. */
export function choiceField<T extends string>(
  value: unknown,
  name: string,
  choices: readonly T[],
): T | undefined {
  const text = textField(value, name)?.toUpperCase();
  if (text === undefined) return undefined;
  const found = choices.find((choice) => choice.toUpperCase() === text);
  if (found !== undefined) return found;
  throw wrongField(name, `must be one of ${choices.join(', ')}`, 'Check what its expression returns.');
}

/**
 * A list of texts: a list from an expression, or one text separated by commas or line breaks. Undefined if it is
 * empty.
 */
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
  const text = element === null || element === undefined ? undefined : textField(element, name);
  if (text !== undefined) return text;
  throw wrongField(
    name,
    'holds an element that is empty or null',
    'Remove it, for example with .filter(Boolean) in the expression.',
  );
}

/** A list of these values, in any case. Empty if the field is missing. */
export function choicesField<T extends string>(value: unknown, name: string, choices: readonly T[]): T[] {
  const chosen = (listField(value, name) ?? []).map((text) => choiceField(text, name, choices));
  return chosen.filter((choice) => choice !== undefined);
}

/** A JSON object: from an expression, or as text. Undefined if it is empty. */
export function objectField(value: unknown, name: string): JsonObject | undefined {
  if (isMissing(value)) return undefined;
  const json = typeof value === 'string' ? parsedJson(value) : value;
  if (json === undefined) {
    const hint = 'Write it as {"key": "value"}, with double quotes and no comma at the end.';
    throw wrongField(name, "isn't valid JSON", hint);
  }
  if (!isJsonObject(json)) {
    throw wrongField(name, "isn't a JSON object", 'Write it as {"key": "value"}.');
  }
  return Object.keys(json).length === 0 ? undefined : json;
}

/** A file name without a folder, because the next node may use it to write a file. */
export function fileNameField(value: unknown): string | undefined {
  const name = textField(value, 'fileName');
  if (name === undefined || !/[/\\]/.test(name)) return name;
  throw wrongField('fileName', "can't contain a folder", 'Enter the name only.');
}

export const RETURN_ALL = switchField('returnAll', {
  description: 'Whether to return all results or only up to a given limit',
});

export const LIMIT = field('limit', {
  type: 'number',
  typeOptions: { minValue: 1 },
  default: 50,
  displayOptions: { show: { returnAll: [false] } },
  description: 'Max number of results to return',
});

/** The limit from `Return All` and `Limit`. Throws for an invalid limit before anything is opened. */
export function limitOf(context: IExecuteFunctions, itemIndex: number): { limit?: number } {
  const returnAll = booleanField(context.getNodeParameter('returnAll', itemIndex), 'returnAll');
  if (required(returnAll, 'returnAll')) return {};
  const limit = numberField(context.getNodeParameter('limit', itemIndex), 'limit');
  checkPaging('limit', required(limit, 'limit'), 1);
  return given({ limit });
}

export const SIMPLIFY = switchField('simplify', {
  default: true,
  description: 'Whether to return a simplified version of the response instead of the raw data',
});

/** A model always gets the short form. */
export function simplifyOf(context: IExecuteFunctions, itemIndex: number): boolean {
  const asked = booleanField(context.getNodeParameter('simplify', itemIndex, true), 'simplify');
  return isTool(context) || (asked ?? true);
}
