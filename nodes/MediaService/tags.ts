import type { JsonObject } from '../../api/json';
import { field } from '../../n8n/form-fields';
import { objectField } from './parameters';
import type { Fields } from './parameters';

export const TAGS = field('tags', {
  type: 'json',
  default: '{}',
  placeholder: 'e.g. {"campaign": "spring-26"}',
  description: 'Tags as a JSON object, also from an expression',
});

/** Undefined if there is no tag. */
export function tagsOf(fields: Fields): JsonObject | undefined {
  return objectField(fields['tags'], 'tags');
}
