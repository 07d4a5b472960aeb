import { isAbsolute, join } from 'node:path';
import type { ManifestRow } from '../../../../manifest/row';

/**
 * The row with its relative path made absolute, so that a manifest of such rows can be started from any folder. URLs
 * stay unchanged.
 */
export function withAbsoluteSource(row: ManifestRow, sourceFolder: string | undefined): ManifestRow {
  const { source } = row;
  const isAddress = /^[a-z][a-z0-9+.-]+:\/\//i.test(source);
  if (sourceFolder === undefined || isAddress || isAbsolute(source)) return row;
  return { ...row, source: join(sourceFolder, source) };
}
