import { wrongField } from '../errors';
import { checkOptions } from '../options/option';
import type { OptionValues } from '../options/option';
import { SEARCH_OPTIONS } from '../options/search-options';
import type { MEDIA_TYPES } from '../options/search-options';
import { given, isJsonObject, textAt, valueAt } from '../json';
import type { JsonObject } from '../json';

export type MediaType = (typeof MEDIA_TYPES)[number];

/** The media search filter (api.md), see `SEARCH_OPTIONS`. Unset fields are not applied. */
export interface MediaFilter extends Omit<OptionValues<typeof SEARCH_OPTIONS>, 'ids' | 'tags' | 'sort'> {
  /** null and an empty list mean the same as unset. No element may be null. */
  readonly ids?: readonly string[] | null;
  readonly tags?: JsonObject;
}

/**
 * Returns the filter as it is sent, without unset fields. Throws a `ValidationError` that names the field: the values may
 * come from JSON that nobody checked.
 */
export function filterBody({ ids, type: asked, ...others }: MediaFilter): JsonObject {
  const { searchTerm, tags, isLibrary, isActive } = others;
  const type = typeof asked === 'string' ? asked.toUpperCase() : asked;
  checkOptions(SEARCH_OPTIONS, { ...others, type }, '');
  const some = checkIds(ids ?? []);
  return {
    ...(some.length > 0 ? { ids: [...some] } : {}),
    ...(searchTerm === '' ? {} : given({ searchTerm })),
    ...given({ type }),
    ...(tags === undefined || Object.keys(tags).length === 0 ? {} : { tags }),
    ...given({ isLibrary, isActive }),
  };
}

function checkIds(ids: readonly string[]): readonly string[] {
  const isList: boolean = Array.isArray(ids);
  if (!isList) throw wrongField('ids', 'is not a list');
  const bad = ids.findIndex((id: unknown) => typeof id !== 'string' || id.trim() === '');
  const id: unknown = ids[bad];
  const what = id === null ? 'null' : typeof id === 'string' ? 'empty' : `a ${typeof id}`;
  if (bad !== -1) throw wrongField('ids', `holds an element that is ${what}, at position ${bad + 1}`);
  return ids;
}

/**
 * Returns the value of one `sort` parameter for a rule such as `title`, `title,DESC` or `title,ASC,ignorecase`. The
 * service's separator is not documented, so it is an option. Throws a `ValidationError` for other words, and for a
 * property that is empty or contains the separator.
 */
export function sortText(rule: string, separator: string): string {
  const [property = '', ...words] = rule.split(',').map((word) => word.trim());
  const upper = words.map((word) => word.toUpperCase());
  const direction = upper.find((word) => word === 'ASC' || word === 'DESC');
  const isKnown = upper.every((word) => word === direction || word === 'IGNORECASE');
  if (!isKnown) throw wrongField('sort', 'must be property[,ASC|DESC[,ignorecase]]');
  if (property === '' || property.includes(separator)) {
    const what = property === '' ? 'no property' : `a property that contains the separator "${separator}"`;
    throw wrongField('sort', `has a rule with ${what}`, 'Give one rule per property.');
  }
  const sent = upper.includes('IGNORECASE') ? [direction ?? 'ASC', 'ignorecase'] : [direction ?? []].flat();
  return [property, ...sent].join(separator);
}

/** The fields that may hold a media's id and title, the likeliest first. api.md shows none of its fields. */
const MEDIA_ROLE_CANDIDATES = {
  id: ['id', 'mediaId', 'media.id', 'media.mediaId', '_id', 'uuid'],
  title: ['title', 'media.title', 'name', 'displayName', 'fileName', 'sanitizedTitle'],
} as const;

/** Returns the role's value as text; undefined if no field has it. */
export function mediaText(media: JsonObject, role: keyof typeof MEDIA_ROLE_CANDIDATES): string | undefined {
  return textAt(media, MEDIA_ROLE_CANDIDATES[role]);
}

/** Returns the tags of a media; empty if the answer shows none. */
export function mediaTags(media: JsonObject): JsonObject {
  const tags = [valueAt(media, 'tags'), valueAt(media, 'media.tags')].find(isJsonObject);
  return tags ?? {};
}
