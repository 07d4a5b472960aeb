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

/** A media item with the fields that most want, if `simplify` is set. */
export function mediaJson(media: JsonObject, simplify: boolean): JsonObject {
  return simplify ? simplified(media, SIMPLE_FIELDS) : media;
}
