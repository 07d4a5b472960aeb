import { COLUMNS, TAG_PREFIX } from '../../../../manifest/columns';
import type { ManifestRow } from '../../../../manifest/row';
import { manifestWriter } from '../../../../manifest/write-manifest';

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
