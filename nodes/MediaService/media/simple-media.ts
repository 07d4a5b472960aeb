import type { JsonObject } from '../../../api/json';

const SIMPLE_FIELDS = [
  ...['id', 'mediaId', 'title', 'type', 'fileType', 'tags', 'isLibrary', 'isActive', 'creator', 'duration'],
  'createdAt',
];

/** A media item. With `simplify`, only the fields that most users need, or all of an unknown shape. */
export function mediaJson(media: JsonObject, simplify: boolean): JsonObject {
  const kept = Object.entries(media).filter(([name]) => SIMPLE_FIELDS.includes(name));
  return simplify && kept.length > 0 ? Object.fromEntries(kept) : media;
}
