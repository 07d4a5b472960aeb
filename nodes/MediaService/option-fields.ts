import type { INodeProperties } from 'n8n-workflow';
import { wrongField } from '../../api/errors';
import { given } from '../../api/json';
import type { Option, OptionTable, OptionValues } from '../../api/options/option';
import { choices, field, switchField } from '../../n8n/form-fields';
import {
  booleanField,
  choiceField,
  choicesField,
  listField,
  numberField,
  objectField,
  textField,
} from './parameters';
import type { Fields } from './parameters';

/** Options of a table as fields of a form. Adding one to a collection changes nothing by itself. */
export function optionFields(table: OptionTable, names: readonly string[]): INodeProperties[] {
  return names.flatMap((name) => {
    const option = table[name];
    return option === undefined ? [] : [optionField(name, option)];
  });
}

/** One option as a field of a form. */
export function optionField(name: string, option: Option): INodeProperties {
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
  if (type === 'texts')
    return field(name, {
      type: 'json',
      default: '{}',
      placeholder: 'e.g. {"campaign": "spring-26"}',
      description: `${description}, as a JSON object`,
    });
  if (values === undefined) {
    const list = type === 'list' ? ', separated by commas, or a list from an expression' : '';
    return field(name, { description: `${description}${list}` });
  }
  const [first = ''] = values;
  const isList = type === 'list';
  return field(name, {
    type: isList ? 'multiOptions' : 'options',
    options: choices(values),
    default: isList ? [first] : (unset ?? first),
    description,
  });
}

/** The values of such fields, without those that are not set. Throws a `ValidationError` that names the field. */
export function optionValues<Table extends OptionTable, Name extends keyof Table & string>(
  fields: Fields,
  table: Table,
  names: readonly Name[],
): Pick<OptionValues<Table>, Name> {
  const values = names.map((name) => [name, valueOf(fields[name], table[name], name)]);
  return given(Object.fromEntries(values)) as Pick<OptionValues<Table>, Name>;
}

function valueOf(value: unknown, option: Option | undefined, name: string): unknown {
  if (option?.type === 'boolean') return booleanField(value, name);
  if (option?.type === 'object') return objectField(value, name);
  if (option?.type === 'texts') return textsField(value, name);
  if (option?.type === 'list') {
    const chosen =
      option.values === undefined ? listField(value, name) : choicesField(value, name, option.values);
    return chosen?.length === 0 ? undefined : chosen;
  }
  if (option?.values !== undefined) return choiceField(value, name, option.values);
  if (option?.type !== 'integer' && option?.type !== 'number') return textField(value, name);
  const number = numberField(value, name);
  return number === 0 && option.default === undefined ? undefined : number;
}

function textsField(value: unknown, name: string): Record<string, string> | undefined {
  const texts = Object.entries(objectField(value, name) ?? {}).map(([key, one]) => {
    if (typeof one !== 'object') return [key, String(one)] as const;
    throw wrongField(name, `must be texts, but "${key}" is not`, 'Enter one text for it.');
  });
  return texts.length === 0 ? undefined : Object.fromEntries(texts);
}
