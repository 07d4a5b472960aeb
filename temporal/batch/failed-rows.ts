import { isAbsolute, join } from 'node:path';
import { COLUMNS, TAG_PREFIX } from '../../manifest/columns';
import type { ManifestFormat } from '../../manifest/format';
import type { ManifestRow } from '../../manifest/row';
import { manifestWriter } from '../../manifest/write-manifest';
import type { SealKeys } from '../seal';
import type { PageRow } from './page-rows';
import { openedRow } from './planned-row';

interface FailedManifest {
  readonly format: ManifestFormat;
  /** All rows, of which it takes the failed ones. A CSV without `tags` calls it twice. */
  readonly read: () => AsyncIterable<PageRow>;
  readonly sealKeys: SealKeys;
  /** The folder of relative paths. */
  readonly sourceFolder: string | undefined;
  /** Tags of the failed rows, if known. Each is a column of a CSV. */
  readonly tags?: ReadonlySet<string>;
}

/**
 * The failed rows as a manifest that can be started from any folder. Each cell is as in the batch's manifest,
 * including queries of URLs and text that looks like a formula, because machines read the file.
 */
export async function* failedManifest({
  format,
  read,
  sealKeys,
  sourceFolder,
  tags: known,
}: FailedManifest): AsyncGenerator<string, void, undefined> {
  const failed = async function* (): AsyncGenerator<ManifestRow, void, undefined> {
    for await (const { planned, result } of read())
      if (result?.status === 'FAILED') yield withAbsoluteSource(openedRow(planned, sealKeys), sourceFolder);
  };
  const tags = new Set(known);
  if (format === 'csv' && known === undefined)
    for await (const { media } of failed()) for (const tag of Object.keys(media.tags ?? {})) tags.add(tag);
  const writer = manifestWriter(format, [...COLUMNS, ...[...tags].sort().map((tag) => TAG_PREFIX + tag)]);
  yield writer.header;
  for await (const row of failed()) yield writer.line(row);
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
