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
 * Reads one rule as a person writes it: `title`, `title,DESC` or `title,ASC,ignorecase`. Throws a `ValidationError` for
 * other words. The search itself refuses a property that it can't send.
 */
export function sortRuleOf(text: string): SortRule {
  const [property = '', ...words] = text.split(',').map((word) => word.trim());
  const upper = words.map((word) => word.toUpperCase());
  const direction = upper.find((word) => word === 'ASC' || word === 'DESC');
  const isKnown = upper.every((word) => word === direction || word === 'IGNORECASE');
  if (!isKnown) throw wrongField('sort', 'must be property[,ASC|DESC[,ignorecase]]');
  return {
    property,
    ...given({ direction }),
    ...(upper.includes('IGNORECASE') ? { ignoreCase: true } : {}),
  };
}

/**
 * Returns the value of one `sort` parameter, such as `title,DESC,ignorecase`. The separator is not documented, so it is
 * an option. Throws a `ValidationError` for an empty property, a property that contains the separator, or an unknown
 * direction.
 */
export function sortText(rule: SortRule, separator: string): string {
  const property = rule.property.trim();
  if (property === '' || property.includes(separator)) {
    const what = property === '' ? 'no property' : `a property that contains the separator "${separator}"`;
    throw wrongField('sort', `has a rule with ${what}`, 'Give one rule per property.');
  }
  const direction = rule.direction?.toUpperCase();
  if (direction !== undefined && direction !== 'ASC' && direction !== 'DESC') {
    throw wrongField('sort', `has the direction "${direction}", which must be ASC or DESC`);
  }
  const words = rule.ignoreCase === true ? [direction ?? 'ASC', 'ignorecase'] : [direction ?? []].flat();
  return [property, ...words].join(separator);
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
