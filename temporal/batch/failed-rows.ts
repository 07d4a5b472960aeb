import { COLUMNS, TAG_PREFIX } from '../../manifest/columns';
import type { ManifestRow } from '../../manifest/row';
import { manifestWriter } from '../../manifest/write-manifest';
import { isAbsolute, join } from 'node:path';

/**
 * Rows as a manifest that can be started. Each cell is unchanged, including queries of URLs and text that looks like a
 * formula, because machines read the file. `tags`: the tags of all rows.
 */
export async function* failedManifest(
  rows: AsyncIterable<ManifestRow>,
  tags: readonly string[],
): AsyncGenerator<string> {
  const writer = manifestWriter('csv', [...COLUMNS, ...tags.map((tag) => TAG_PREFIX + tag)]);
  yield writer.header;
  for await (const row of rows) yield writer.line(row);
}

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
