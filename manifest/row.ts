import type { JsonObject } from '../api/json';
import type { MediaFields } from '../api/upload/request/media-fields';

/** One file to upload, as a manifest names it. Plain JSON. */
export interface ManifestRow {
  /** Line of the manifest it begins on, from 1; the header is line 1 of a CSV. */
  readonly line: number;
  /** The same id in the same batch is the same upload. Column `id`, else made of what the row says. */
  readonly id: string;
  /** A path, an http(s) URL or `s3://bucket/key`, as written. */
  readonly source: string;
  readonly media: Omit<MediaFields, 'fileType'> & { readonly fileType?: string };
  readonly metadata?: JsonObject;
}

/** What is wrong with one cell, row or the manifest as a whole. */
export interface ManifestMistake {
  readonly line: number;
  /** Unset: the row or the manifest as a whole. */
  readonly column?: string;
  readonly message: string;
  /** What to do. */
  readonly hint?: string;
  /** With one of a row's mistakes. */
  readonly readable?: ReadableCells;
}

/** What can be read of a row that is wrong, so that the rest of it can be looked at as well. */
export interface ReadableCells {
  /** Unset where the row names none: it would be made of all cells. */
  readonly id?: string;
  readonly source?: string;
}

/** What reading a manifest gives: rows, and mistakes in the places of those that cannot be uploaded. */
export type ManifestItem = ManifestRow | ManifestMistake;

export function isMistake(item: ManifestItem): item is ManifestMistake {
  return 'message' in item;
}
