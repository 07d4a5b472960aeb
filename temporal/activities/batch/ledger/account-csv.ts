import type { AccountLine } from '../../../contract/batch';
import type { Orphan } from '../../../../api/upload/upload-steps';
import { BYTE_ORDER_MARK, csvRow, plainCell } from './csv-row';
import type { Cell } from './csv-row';

const COLUMNS: Readonly<Record<string, (line: AccountLine) => Cell>> = {
  line: ({ line }) => line,
  id: ({ id }) => id,
  source: ({ source }) => source,
  status: ({ status }) => status,
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
  hint: ({ error }) => error?.hint,
  orphans: ({ orphans }) => orphans.map(orphanText).join('; '),
  eTags: ({ eTags }) => eTags?.join(' '),
  workflowId: ({ workflowId }) => workflowId,
  round: ({ round }) => round,
  endedAt: ({ endedAt }) => endedAt,
};

/** The account as a table for spreadsheets: with a byte order mark, formulas defused. */
export async function* accountCsv(lines: AsyncIterable<AccountLine>): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + csvRow(Object.keys(COLUMNS));
  for await (const line of lines) {
    yield csvRow(Object.values(COLUMNS).map((cell) => plainCell(cell(line))));
  }
}

function orphanText({ uploadId, mediaId, reason }: Orphan): string {
  const ids = [uploadId, mediaId].filter((id) => id !== undefined).join('/');
  return ids === '' ? reason : `${ids} (${reason})`;
}
