import { createHash } from 'node:crypto';
import { canonicalJson } from '../api/json';
import type { ManifestRow } from './row';

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
