import { ValidationError, wrongField } from '../errors';
import { isJsonObject, textAt, valueAt } from '../json';
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

/** One criterion of a search's order. */
export interface SortRule {
  /** Name of a media property. */
  readonly property: string;
  /** Default ASC. */
  readonly direction?: 'ASC' | 'DESC';
  /** Default false: case-sensitive. */
  readonly ignoreCase?: boolean;
}

/**
 * Returns the value of one `sort` parameter, such as `title,DESC,ignorecase`. The separator is not documented, so it is
 * an option. Throws a `ValidationError` for an empty property, a property that contains the separator, or an unknown
 * direction.
 */
export function sortText(rule: SortRule, separator: string): string {
  const property = rule.property.trim();
  if (property === '' || property.includes(separator)) {
    throw new ValidationError(
      'sort',
      property === ''
        ? 'a sort rule has no property'
        : `sort names the property "${property}", which contains the separator "${separator}"`,
      'Give one rule per property.',
    );
  }
  const direction = rule.direction?.toUpperCase();
  if (direction !== undefined && direction !== 'ASC' && direction !== 'DESC') {
    throw wrongField('sort', `has the direction "${direction}", which must be ASC or DESC`);
  }
  const ignoreCase = rule.ignoreCase === true;
  const parts = [
    property,
    direction ?? (ignoreCase ? 'ASC' : undefined),
    ignoreCase ? 'ignorecase' : undefined,
  ];
  return parts.filter((part) => part !== undefined).join(separator);
}

/** The fields that may hold a media's id, title and type, the likeliest first. api.md shows none of its fields. */
const MEDIA_ROLE_CANDIDATES = {
  id: ['id', 'mediaId', 'media.id', 'media.mediaId', '_id', 'uuid'],
  title: ['title', 'media.title', 'name', 'displayName', 'fileName', 'sanitizedTitle'],
  type: ['type', 'mediaType', 'media.type', 'fileType'],
} as const;

type MediaRole = keyof typeof MEDIA_ROLE_CANDIDATES;

/** Returns the role's value as text; undefined if no field has it. */
export function mediaText(media: JsonObject, role: MediaRole): string | undefined {
  return textAt(media, MEDIA_ROLE_CANDIDATES[role]);
}

/** Returns the tags of a media; empty if the answer shows none. */
export function mediaTags(media: JsonObject): JsonObject {
  const tags = [valueAt(media, 'tags'), valueAt(media, 'media.tags')].find(isJsonObject);
  return tags ?? {};
}
