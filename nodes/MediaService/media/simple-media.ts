import type { JsonObject } from '../../../api/json';
import { simplified } from '../items';

const SIMPLE_FIELDS = [
  'id',
  'mediaId',
  'title',
  'type',
  'fileType',
  'tags',
  'isLibrary',
  'isActive',
  'creator',
  'duration',
  'createdAt',
];

/** A media item. With `simplify`, only the fields that most users need. */
export function mediaJson(media: JsonObject, simplify: boolean): JsonObject {
  return simplify ? simplified(media, SIMPLE_FIELDS) : media;
}
