import { COLUMNS, TAG_PREFIX } from '../../../../manifest/columns';
import type { Column } from '../../../../manifest/columns';
import type { ManifestRow } from '../../../../manifest/row';
import { csvRow } from './csv-row';
import type { Cell } from './csv-row';

const CELLS: Readonly<Record<Column, (row: ManifestRow) => Cell>> = {
  source: ({ source }) => source,
  title: ({ media }) => media.title,
  fileType: ({ media }) => media.fileType,
  metadata: ({ metadata }) => (metadata === undefined ? undefined : JSON.stringify(metadata)),
  creator: ({ media }) => media.creator,
  resolution: ({ media }) => media.resolution,
  duration: ({ media }) => media.duration,
  isLibrary: ({ media }) => media.insights?.isLibrary,
  includeInReport: ({ media }) => media.insights?.includeInReport,
  id: ({ id }) => id,
};

/** Rows as a manifest that can be started: every cell as it was, formulas too, since it is read by machines. `tags`: those of all rows. */
export async function* failedManifest(
  rows: AsyncIterable<ManifestRow>,
  tags: readonly string[],
): AsyncGenerator<string> {
  yield csvRow([...COLUMNS, ...tags.map((tag) => TAG_PREFIX + tag)]);
  for await (const row of rows) {
    yield csvRow([
      ...COLUMNS.map((column) => CELLS[column](row)),
      ...tags.map((tag) => row.media.tags?.[tag]),
    ]);
  }
}
