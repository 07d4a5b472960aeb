import type { INodeProperties } from 'n8n-workflow';
import { ValidationError } from '../../api/errors';
import type { JsonObject } from '../../api/json';
import { objectField, rowsOf, textField } from './parameters';
import type { Fields } from './parameters';

/** Tags, as rows of key and value, or as JSON. */
export const TAG_FIELDS: INodeProperties[] = [
  {
    displayName: 'Tags',
    name: 'tags',
    type: 'fixedCollection',
    typeOptions: { multipleValues: true },
    placeholder: 'Add Tag',
    default: {},
    options: [
      {
        displayName: 'Tag',
        name: 'tag',
        values: [
          {
            displayName: 'Key',
            name: 'key',
            type: 'string',
            default: '',
            placeholder: 'e.g. campaign',
            description: 'Name of the tag',
          },
          {
            displayName: 'Value',
            name: 'value',
            type: 'string',
            default: '',
            placeholder: 'e.g. spring-26',
            description: 'Value of the tag',
          },
        ],
      },
    ],
  },
  {
    displayName: 'Tags (JSON)',
    name: 'tagsJson',
    type: 'json',
    default: '{}',
    placeholder: 'e.g. {"campaign": "spring-26"}',
    description: 'Tags as a JSON object; overrides a row of the same key',
  },
];

/** Both forms together, or undefined if there is no tag. */
export function tagsOf(fields: Fields): JsonObject | undefined {
  const tags: JsonObject = {};
  for (const { key, value } of rowsOf(fields['tags'], 'tag')) {
    const name = textField(key, 'Tags');
    if (name === undefined)
      throw new ValidationError('tags', 'A tag has no key', 'Give it one, or remove the row.');
    if (Object.hasOwn(tags, name))
      throw new ValidationError('tags', `The tag "${name}" is given twice`, 'Give each tag once.');
    tags[name] = textField(value, 'Tags') ?? '';
  }
  Object.assign(tags, objectField(fields['tagsJson'], 'Tags (JSON)'));
  return Object.keys(tags).length === 0 ? undefined : tags;
}
