import type { Json, JsonRecord } from '../json';
import { type ShapeChoice, chosenOf } from '../shapes/shapes';

export type MediaType = 'VIDEO' | 'IMAGE' | 'AUDIO' | 'DOCUMENT';
export const MEDIA_TYPES: readonly MediaType[] = ['VIDEO', 'IMAGE', 'AUDIO', 'DOCUMENT'];

/** Supported extensions and their type of media (api.md, "Supported extensions"). */
export const EXTENSIONS: ReadonlyMap<string, { readonly type: MediaType; readonly mime: string }> = new Map([
  ['MP4', { type: 'VIDEO', mime: 'video/mp4' }],
  ['MOV', { type: 'VIDEO', mime: 'video/quicktime' }],
  ['AVI', { type: 'VIDEO', mime: 'video/x-msvideo' }],
  ['MKV', { type: 'VIDEO', mime: 'video/x-matroska' }],
  ['FLV', { type: 'VIDEO', mime: 'video/x-flv' }],
  ['WMV', { type: 'VIDEO', mime: 'video/x-ms-wmv' }],
  ['3GPP', { type: 'VIDEO', mime: 'video/3gpp' }],
  ['WEBM', { type: 'VIDEO', mime: 'video/webm' }],
  ['JPG', { type: 'IMAGE', mime: 'image/jpeg' }],
  ['JPEG', { type: 'IMAGE', mime: 'image/jpeg' }],
  ['PNG', { type: 'IMAGE', mime: 'image/png' }],
  ['SVG', { type: 'IMAGE', mime: 'image/svg+xml' }],
  ['MP3', { type: 'AUDIO', mime: 'audio/mpeg' }],
  ['WAV', { type: 'AUDIO', mime: 'audio/wav' }],
  ['AAC', { type: 'AUDIO', mime: 'audio/aac' }],
  ['FLAC', { type: 'AUDIO', mime: 'audio/flac' }],
  ['PDF', { type: 'DOCUMENT', mime: 'application/pdf' }],
]);

/** A media item ("Media search result item fields: not shown"). */
export interface MediaItem {
  readonly id: string;
  readonly title: string | null;
  readonly sanitizedTitle: string | null;
  readonly type: MediaType;
  readonly fileType: string;
  readonly tags: JsonRecord;
  readonly isLibrary: boolean;
  readonly includeInReport: boolean;
  /** False until an upload is COMPLETED. */
  isActive: boolean;
  readonly creator: string | null;
  readonly duration: number | null;
  readonly resolution: string;
  readonly subAccountId: string;
  readonly metadata: JsonRecord;
  /** ISO 8601. */
  readonly createdAt: string;
  updatedAt: string;
  fileUrl: string | null;
  /** True: an upload to this simulator made it. False: seed data. */
  readonly isUploaded: boolean;
}

/** The item as search returns it. */
export function shownMedia({ tags, isUploaded: _, ...item }: MediaItem, shapes: ShapeChoice): JsonRecord {
  const shown = shownTags(tags, shapes);
  return namedMedia(shown === undefined ? { ...item } : { ...item, tags: shown }, shapes);
}

function shownTags(tags: JsonRecord, shapes: ShapeChoice): Json | undefined {
  if (shapes.has('tags-hidden')) return undefined;
  const isListed = shapes.has('tag-values-list');
  const entries = Object.entries(tags).map(([key, value]) => [key, isListed ? [value] : value] as const);
  return shapes.has('tags-list')
    ? entries.map(([key, value]) => ({ key, value }))
    : Object.fromEntries(entries);
}

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
function namedMedia(item: JsonRecord, shapes: ShapeChoice): JsonRecord {
  const names = chosenOf(OTHER_NAMES, shapes) ?? {};
  const spelt = (key: string): string =>
    shapes.has('media-fields-snake') ? key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) : key;
  return Object.fromEntries(Object.entries(item).map(([key, value]) => [names[key] ?? spelt(key), value]));
}

/** api.md, "sanitizedTitle rule". */
export function sanitizedTitle(title: string): string {
  return title.replace(/[^A-Za-z0-9.\-_]/g, '_');
}
