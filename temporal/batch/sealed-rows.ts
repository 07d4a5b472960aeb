import type { JsonObject } from '../../api/json';
import { isSealed, seal, unseal } from '../seal';
import type { SealKeys } from '../seal';

const PURPOSE = 'source URL of a row';

/** Seals rows that pass through a history. Only http(s) sources are sealed, because their query may be a signature. */
export function rowsForHistory(rows: readonly JsonObject[], keys: SealKeys): JsonObject[] {
  return rows.map((row) => {
    const { source } = row;
    return isAddress(source) ? { ...row, source: { ...seal(keys, source, PURPOSE) } } : row;
  });
}

/** The original rows. Throws as `unseal`. */
export function rowsFromHistory(rows: readonly JsonObject[], keys: SealKeys): JsonObject[] {
  return rows.map((row) => {
    const { source } = row;
    return isSealed(source) ? { ...row, source: unseal(keys, source, PURPOSE) } : row;
  });
}

/** Rows by their meaning, without queries, because each pre-signed URL has another one. */
export function rowsWithoutQueries(rows: readonly JsonObject[]): JsonObject[] {
  return rows.map((row) => {
    const { source } = row;
    if (!isAddress(source) || !URL.canParse(source)) return row;
    const { origin, pathname } = new URL(source);
    return { ...row, source: origin + pathname };
  });
}

function isAddress(source: unknown): source is string {
  return typeof source === 'string' && /^\s*https?:/i.test(source);
}
