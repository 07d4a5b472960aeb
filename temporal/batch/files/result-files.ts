import { isAbsolute, join } from 'node:path';
import { adviceText } from '../../../api/advice';
import type { ResultLine } from '../types';
import type { Orphan } from '../../../api/upload/types';
import { csvLine, manifestWriter } from '../../../manifest/write-manifest';
import { COLUMNS, TAG_PREFIX } from '../../../manifest/columns';
import type { ManifestFormat } from '../../../manifest/format';
import type { ManifestRow } from '../../../manifest/row';
import type { SealKeys } from '../../seal';
import type { PageRow } from './page-journal';
import { openedRow } from './planned-row';

const BYTE_ORDER_MARK = '\ufeff';

type Cell = string | number | boolean | undefined;

const RESULT_COLUMNS: Readonly<Record<string, (line: ResultLine) => Cell>> = {
  line: ({ line }) => line,
  id: ({ id }) => id,
  source: ({ source }) => source,
  status: ({ status }) => status,
  joined: ({ joined }) => joined,
  title: ({ title }) => title,
  mediaId: ({ mediaId }) => mediaId,
  uploadId: ({ uploadId }) => uploadId,
  fileUrl: ({ fileUrl }) => fileUrl,
  fileType: ({ fileType }) => fileType,
  bytes: ({ bytes }) => bytes,
  verified: ({ verified }) => verified,
  attempts: ({ attempts }) => attempts,
  retries: ({ retries }) => retries,
  errorCode: ({ error }) => error?.code,
  error: ({ error }) => error?.message,
  hint: ({ error }) => (error === undefined ? undefined : adviceText(error)),
  warning: ({ warning }) => warning,
  orphans: ({ orphans }) => orphans.map(orphanText).join('; '),
  eTags: ({ eTags }) => eTags?.join(' '),
  workflowId: ({ workflowId }) => workflowId,
  replaces: ({ replaces }) => replaces,
  round: ({ round }) => round,
  endedAt: ({ endedAt }) => endedAt,
};

/**
 * The results as a table for spreadsheets: with formulas made harmless and, unless other programs read it, with a byte
 * order mark.
 */
export async function* resultsCsv(
  lines: AsyncIterable<ResultLine>,
  { byteOrderMark = true }: { readonly byteOrderMark?: boolean } = {},
): AsyncGenerator<string> {
  yield (byteOrderMark ? BYTE_ORDER_MARK : '') + csvLine(Object.keys(RESULT_COLUMNS));
  for await (const line of lines) {
    yield csvLine(Object.values(RESULT_COLUMNS).map((cell) => defused(cell(line))));
  }
}

/** Puts an apostrophe before a text that a spreadsheet would read as a formula. */
function defused(cell: Cell): string {
  const text = String(cell ?? '');
  return typeof cell === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

function orphanText({ uploadId, mediaId, reason }: Orphan): string {
  const ids = [uploadId, mediaId].filter((id) => id !== undefined).join('/');
  return ids === '' ? reason : `${ids} (${reason})`;
}

interface FailedManifest {
  readonly format: ManifestFormat;
  /** All rows, of which it takes the failed ones. A CSV calls it twice: each tag is a column. */
  readonly read: () => AsyncIterable<PageRow>;
  readonly sealKeys: SealKeys;
  /** The folder of relative paths. */
  readonly sourceFolder: string | undefined;
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
}: FailedManifest): AsyncGenerator<string, void, undefined> {
  const failed = async function* (): AsyncGenerator<ManifestRow, void, undefined> {
    for await (const { planned, result } of read())
      if (result?.status === 'FAILED') yield withAbsoluteSource(openedRow(planned, sealKeys), sourceFolder);
  };
  const tags = new Set<string>();
  if (format === 'csv')
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
