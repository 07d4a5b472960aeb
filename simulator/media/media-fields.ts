import type { JsonRecord } from '../json';
import type { ShapeChoice } from '../shapes/shapes';

/** Names that differ from ours in more than their spelling. */
const OTHER_NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'media-fields-snake': { id: 'media_id' },
  'media-fields-other': {
    id: 'mediaId',
    title: 'name',
    sanitizedTitle: 'fileName',
    fileType: 'extension',
    createdAt: 'createdDate',
    updatedAt: 'lastModifiedDate',
    fileUrl: 'url',
  },
};

/** A media item with the field names of the chosen shape ("Media search result item fields: not shown"). */
export function namedMedia(item: JsonRecord, shapes: ShapeChoice): JsonRecord {
  const shape = shapes.among(Object.keys(OTHER_NAMES));
  if (shape === '') return item;
  const names = OTHER_NAMES[shape] ?? {};
  const nameOf = (key: string): string =>
    names[key] ??
    (shape === 'media-fields-snake' ? key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) : key);
  return Object.fromEntries(Object.entries(item).map(([key, value]) => [nameOf(key), value]));
}
