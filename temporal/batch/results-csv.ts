import { adviceText } from '../../api/typescript-words';
import type { ResultLine } from '../contract/batch';
import type { Orphan } from '../../api/upload/upload-steps';
import { csvLine } from '../../manifest/write-manifest';

const BYTE_ORDER_MARK = '\ufeff';

type Cell = string | number | boolean | undefined;

const COLUMNS: Readonly<Record<string, (line: ResultLine) => Cell>> = {
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
  orphans: ({ orphans }) => orphans.map(orphanText).join('; '),
  eTags: ({ eTags }) => eTags?.join(' '),
  workflowId: ({ workflowId }) => workflowId,
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
  yield (byteOrderMark ? BYTE_ORDER_MARK : '') + csvLine(Object.keys(COLUMNS));
  for await (const line of lines) {
    yield csvLine(Object.values(COLUMNS).map((cell) => defused(cell(line))));
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
