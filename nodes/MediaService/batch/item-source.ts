import type { IExecuteFunctions } from 'n8n-workflow';
import { ValidationError } from '../../../api/errors';
import { required, textField } from '../parameters';

/** The beginnings of locations that a worker can read. */
const ADDRESS = /^\s*(?:https?:\/\/|s3:\/\/|\/|[a-z]:[\\/])/i;
const MAX_NAMED = 8;

/**
 * The location of the item's file. If "Source" is empty, throws an error that names the item's fields that the user
 * may have meant, without their values.
 */
export function itemSource(context: IExecuteFunctions, itemIndex: number): string {
  const value: unknown = context.getNodeParameter('rowSource', itemIndex, '');
  if (value !== undefined && value !== null && value !== '')
    return required(textField(value, 'Source'), 'Source');
  const { json = {} } = context.getInputData()[itemIndex] ?? {};
  throw new ValidationError('rowSource', '"Source" is empty', fieldsHint(json));
}

function fieldsHint(json: Readonly<Record<string, unknown>>): string {
  const meant = Object.keys(json).find((name) => ADDRESS.test(String(json[name])));
  if (meant !== undefined)
    return `The item has an address in its field "${meant}": set "Source" to ${expressionOf(meant)}`;
  const names = Object.keys(json).slice(0, MAX_NAMED).join(', ');
  return names === ''
    ? 'The item has no fields: check the output of the previous node'
    : `Set "Source" to the field that holds the file's address; the item has ${names}`;
}

function expressionOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `{{ $json.${name} }}` : `{{ $json[${JSON.stringify(name)}] }}`;
}
