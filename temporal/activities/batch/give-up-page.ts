import type { ForAccount } from '../../contract/upload';
import type { ResultLine, BatchOptions, PageResult } from '../../contract/batch';
import { earlierSessionOf } from '../../contract/earlier-run';
import { NO_ROWS, withEnded } from '../../contract/batch-counts';
import type { FileLocation } from '../../../files/file-location';
import type { ActivityDeps } from '../context/activity-deps';
import { inRetryableActivity } from './in-retryable-activity';
import { journalFile } from '../../batch/batch-files';
import { readJournal } from '../../batch/page-journal';
import { writeLines } from '../../batch/line-files';
import { readPlannedRows } from '../../batch/planned-row';
import { untouchedLine } from '../../batch/untouched-line';

type Input = ForAccount<{
  readonly batchId: string;
  readonly folder: FileLocation;
  readonly options: BatchOptions;
  readonly page: number;
  readonly round: number;
  readonly writer: string;
  /** Why the page is given up: a full sentence. */
  readonly reason: string;
  /** ISO 8601. */
  readonly endedAt: string;
}>;

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
      const journal = await readJournal(deps.files, { folder, page, without: file }, signal);
      const lines: ResultLine[] = [];
      let counts = NO_ROWS;
      for (const { row } of await readPlannedRows(deps.files, { folder, page }, signal)) {
        const known = journal.lines.get(row.id);
        const line =
          known ??
          untouchedLine(row, {
            ...input,
            status: 'FAILED',
            attempts: 1,
            session: earlierSessionOf(journal.sessions.get(row.id) ?? {}),
            error: { code: 'Internal', message: reason, hint: HINT },
          });
        if (known === undefined) lines.push(line);
        counts = withEnded({ ...counts, rows: counts.rows + 1 }, line, round);
      }
      await writeLines(deps.files, file, lines);
      return { page, counts, failures: lines.length };
    });
}
