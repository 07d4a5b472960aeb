import { textAt, valueAt } from '../field-at';
import type { JsonObject } from '../json';
import { isJsonObject } from '../json';

/** Where a media's id, title and type are looked for, the likeliest first: api.md shows none of its fields. */
export const MEDIA_ROLE_CANDIDATES = {
  id: ['id', 'mediaId', 'media.id', 'media.mediaId', '_id', 'uuid'],
  title: ['title', 'media.title', 'name', 'displayName', 'fileName', 'sanitizedTitle'],
  type: ['type', 'mediaType', 'media.type', 'fileType'],
} as const;

export type MediaRole = keyof typeof MEDIA_ROLE_CANDIDATES;

/** The role's value as text; undefined where it cannot be told. */
export function mediaText(media: JsonObject, role: MediaRole): string | undefined {
  return textAt(media, MEDIA_ROLE_CANDIDATES[role]);
}

/** The tags of a media; empty where none are shown. */
export function mediaTags(media: JsonObject): JsonObject {
  const tags = [valueAt(media, 'tags'), valueAt(media, 'media.tags')].find(isJsonObject);
  return tags ?? {};
}
