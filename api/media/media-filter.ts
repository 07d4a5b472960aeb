import { wrongField } from '../errors';
import { isJsonObject } from '../json';
import type { JsonObject } from '../json';

export const MEDIA_TYPES = ['VIDEO', 'IMAGE', 'AUDIO', 'DOCUMENT'] as const;
export type MediaType = (typeof MEDIA_TYPES)[number];

/** The media search filter (api.md). Unset fields are not applied. */
export interface MediaFilter {
  /** null and an empty list mean the same as unset. No element may be null. */
  readonly ids?: readonly string[] | null;
  /** Matched against the title with flexible word matching. */
  readonly searchTerm?: string;
  readonly type?: MediaType;
  readonly tags?: JsonObject;
  readonly isLibrary?: boolean;
  readonly isActive?: boolean;
}

/** Returns the filter as it is sent, without unset fields. Throws a `ValidationError` that names the field. */
export function filterBody(filter: MediaFilter): JsonObject {
  const { ids, searchTerm, type, tags, isLibrary, isActive } = filter;
  const body: JsonObject = {};
  if (ids !== undefined && ids !== null && checkIds(ids).length > 0) body['ids'] = [...ids];
  if (searchTerm !== undefined && checkText(searchTerm) !== '') body['searchTerm'] = searchTerm;
  if (type !== undefined) body['type'] = checkType(type);
  if (tags !== undefined) {
    if (!isJsonObject(tags)) {
      throw wrongField('tags', 'is not an object of keys and values', 'Write it as {"key": "value"}.');
    }
    if (Object.keys(tags).length > 0) body['tags'] = tags;
  }
  if (isLibrary !== undefined) body['isLibrary'] = checkBoolean('isLibrary', isLibrary);
  if (isActive !== undefined) body['isActive'] = checkBoolean('isActive', isActive);
  return body;
}

function checkIds(ids: readonly unknown[]): readonly unknown[] {
  if (!Array.isArray(ids)) throw wrongField('ids', 'is not a list', 'Give a list of media ids.');
  const bad = ids.findIndex((id) => typeof id !== 'string' || id.trim() === '');
  if (bad >= 0) {
    const what = ids[bad] === null ? 'null' : typeof ids[bad] === 'string' ? 'empty' : `a ${typeof ids[bad]}`;
    throw wrongField(
      'ids',
      `holds an element that is ${what}, at position ${bad + 1}`,
      'Remove it: every id is a text.',
    );
  }
  return ids;
}

function checkText(value: unknown): string {
  if (typeof value === 'string') return value;
  throw wrongField('searchTerm', `is a ${typeof value}, not a text`);
}

function checkType(value: unknown): string {
  const type = typeof value === 'string' ? value.toUpperCase() : '';
  if (MEDIA_TYPES.some((known) => known === type)) return type;
  throw wrongField('type', `must be one of ${MEDIA_TYPES.join(', ')}`);
}

function checkBoolean(field: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw wrongField(field, 'must be true or false');
}
