import { textAt, valueAt } from '../field-at';
import type { JsonObject } from '../json';
import { isJsonObject } from '../json';

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
