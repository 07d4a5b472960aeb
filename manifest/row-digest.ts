import { createHash } from 'node:crypto';
import { canonicalJson } from '../api/canonical-json';
import type { ManifestRow } from './row';

/** What a row says, wherever it stands in whichever manifest: equal rows, equal texts, in CSV and JSON lines alike. */
export function rowText({ id, source, media, metadata }: ManifestRow): string {
  return canonicalJson({ id, source, media, ...(metadata === undefined ? {} : { metadata }) });
}

/** 32 hex digits of SHA-256 over `rowText`. */
export function rowDigest(row: ManifestRow): string {
  return digestOf(rowText(row), 32);
}

/** The id of a row that names none: made of all that it says, so that an unchanged row stays the same upload. */
export function unnamedRowId(row: Omit<ManifestRow, 'id' | 'line'>): string {
  return digestOf(canonicalJson({ source: row.source, media: row.media, metadata: row.metadata ?? {} }), 20);
}

function digestOf(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}
