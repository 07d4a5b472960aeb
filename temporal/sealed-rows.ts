import type { JsonObject } from '../api/json';
import { isSealed, seal, unseal } from './seal';
import type { SealKeys } from './seal';

const PURPOSE = 'source URL of a row';

/** Rows on their way through a history: an http(s) source is sealed, since its query may be a signature. */
export function sealedRows(rows: readonly JsonObject[], keys: SealKeys): JsonObject[] {
  return rows.map((row) => {
    const { source } = row;
    return isAddress(source) ? { ...row, source: { ...seal(keys, source, PURPOSE) } } : row;
  });
}

/** The rows as they were given. Throws as `unseal`. */
export function openedRows(rows: readonly JsonObject[], keys: SealKeys): JsonObject[] {
  return rows.map((row) => {
    const { source } = row;
    return isSealed(source) ? { ...row, source: unseal(keys, source, PURPOSE) } : row;
  });
}

/** Rows by what they mean: pre-signed addresses have another query each time. */
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
