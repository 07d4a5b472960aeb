import type { INodeProperties } from 'n8n-workflow';
import { given } from '../../api/json';
import type { Option, OptionTable } from '../../api/options/option';
import { choices, field, switchField } from '../../n8n/form-fields';
import { booleanField, choiceField, numberField, textField } from './parameters';
import type { Fields } from './parameters';

/** Options of a table as fields of a form. Adding one to a collection changes nothing by itself. */
export function optionFields(table: OptionTable, names: readonly string[]): INodeProperties[] {
  return names.flatMap((name) => {
    const option = table[name];
    return option === undefined ? [] : [optionField(name, option)];
  });
}

function optionField(name: string, option: Option): INodeProperties {
  const { type, values, min, max, default: unset, description } = option;
  if (type === 'boolean') {
    const what = description.replace(/^[A-Z]/, (letter) => letter.toLowerCase());
    return switchField(name, { default: unset ?? false, description: `Whether to ${what}` });
  }
  if (type === 'integer' || type === 'number') {
    const typeOptions = {
      minValue: unset === undefined ? 0 : (min ?? 0),
      ...(max === undefined ? {} : { maxValue: max }),
    };
    const none = unset === undefined ? '; 0: not set' : '';
    const text = `${description}${none}`;
    return field(name, { type: 'number', typeOptions, default: unset ?? 0, description: text });
  }
  if (values === undefined) return field(name, { description });
  // The only list is that of resolutions, and the service takes this one by itself.
  return field(name, { type: 'options', options: choices(values), default: 'NORMAL', description });
}

/** The values of such fields, without those that are not set. Throws a `ValidationError` that names the field. */
export function optionValues(fields: Fields, table: OptionTable, names: readonly string[]): object {
  return given(Object.fromEntries(names.map((name) => [name, valueOf(fields[name], table[name], name)])));
}

function valueOf(value: unknown, option: Option | undefined, name: string): unknown {
  if (option?.type === 'boolean') return booleanField(value, name);
  if (option?.values !== undefined) return choiceField(value, name, option.values);
  if (option?.type !== 'integer' && option?.type !== 'number') return textField(value, name);
  const number = numberField(value, name);
  return number === 0 && option.default === undefined ? undefined : number;
}
