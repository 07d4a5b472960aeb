import type { ForAccount } from '../../contract/upload';
import type { PageInput, PageResult, ResultLine } from '../../contract/batch';
import { NO_ROWS, withEnded } from '../../contract/batch-counts';
import type { ActivityDeps } from '../context/activity-deps';
import { inRetryableActivity } from './in-retryable-activity';
import { journalFile } from '../../batch/batch-files';
import { writeLines } from '../../batch/line-files';
import { readPage } from '../../batch/page-rows';
import { untouchedLine } from '../../batch/untouched-line';

type Input = ForAccount<Pick<PageInput, 'batchId' | 'folder' | 'options' | 'page' | 'round'>> & {
  readonly writer: string;
  /** Why the page is given up: a full sentence. */
  readonly reason: string;
  /** ISO 8601. */
  readonly endedAt: string;
};

const HINT = 'Retry the failed rows of the batch: an upload that has ended well is joined, not repeated.';

/**
 * Writes results for the rows of a page that was lost repeatedly. Rows without a result have failed, with the reason.
 */
export function giveUpPage(deps: ActivityDeps) {
  return (input: Input): Promise<PageResult> =>
    inRetryableActivity(async (signal) => {
      const { folder, page, round, writer, reason } = input;
      const file = journalFile(folder, { page, round, writer, chunk: 0 });
      // An earlier try of this activity may have written the file. This try replaces it.
      const rows = await readPage(deps.files, { folder, page, without: file }, signal);
      const error = { code: 'Internal', message: reason, hint: HINT };
      const lines: ResultLine[] = [];
      let counts = { ...NO_ROWS, rows: rows.length };
      for (const row of rows) {
        const line = row.result ?? untouchedLine(row, { ...input, status: 'FAILED', attempts: 1, error });
        if (row.result === undefined) lines.push(line);
        counts = withEnded(counts, line, round);
      }
      await writeLines(deps.files, file, lines);
      return { page, counts, failures: lines.length };
    });
}
