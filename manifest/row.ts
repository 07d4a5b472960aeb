import type { JsonObject } from '../api/json';
import type { MediaFields } from '../api/upload/types';
import { createHash } from 'node:crypto';
import { canonicalJson } from '../api/json';

/** One file to upload, as a manifest names it. Plain JSON. */
export interface ManifestRow {
  /** The manifest's line where it begins, counted from 1. In a CSV, line 1 is the header. */
  readonly line: number;
  /** The same id in the same batch is the same upload. From column `id`, else made of the row's content. */
  readonly id: string;
  /** A path, an http(s) URL or `s3://bucket/key`, as written. */
  readonly source: string;
  readonly media: Omit<MediaFields, 'fileType'> & { readonly fileType?: string };
  readonly metadata?: JsonObject;
}

/** A mistake in one cell, a row or the whole manifest. */
export interface ManifestMistake {
  readonly line: number;
  /** Unset: the row or the manifest as a whole. */
  readonly column?: string;
  readonly message: string;
  readonly hint?: string;
  /** Set on the mistake of a row. */
  readonly readable?: ReadableCells;
}

/** The readable cells of a wrong row. */
export interface ReadableCells {
  /** Unset if the row has no id, which would be made of all cells. */
  readonly id?: string;
  readonly source?: string;
}

/** What reading a manifest yields: rows, and mistakes in place of rows that can't be uploaded. */
export type ManifestItem = ManifestRow | ManifestMistake;

export function isMistake(item: object): item is ManifestMistake {
  return 'message' in item;
}

/** Returns the content of a row, without its position: equal rows give equal texts, in CSV and JSON lines. */
export function rowText({ id, source, media, metadata }: ManifestRow): string {
  return canonicalJson({ id, source, media, ...(metadata === undefined ? {} : { metadata }) });
}

/** Returns 32 hex digits of SHA-256 over `rowText`. */
export function rowDigest(row: ManifestRow): string {
  return digestOf(rowText(row), 32);
}

/**
 * Returns the id of a row without one. It is made of the row's content, so that an unchanged row stays the same upload.
 */
export function unnamedRowId(row: Omit<ManifestRow, 'id' | 'line'>): string {
  return digestOf(canonicalJson({ source: row.source, media: row.media, metadata: row.metadata ?? {} }), 20);
}

function digestOf(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}
