import { Context } from '@temporalio/activity';
import { JournalWriter } from '../../batch/journal-writer';
import { readPage } from '../../batch/page-rows';
import { untouchedLine } from '../../batch/untouched-line';
import type { PageInput, PageResult } from '../../contract/batch';
import type { ForAccount } from '../../contract/upload';
import type { ActivityDeps } from '../context/activity-deps';
import { inRetryableActivity } from './in-retryable-activity';
import { countLines } from './poll-page';

type Input = ForAccount<Pick<PageInput, 'batchId' | 'folder' | 'options' | 'page' | 'round' | 'losses'>> & {
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
      const { folder, page, round, reason } = input;
      const rows = await readPage(deps.files, input, signal);
      const { attempt } = Context.current().info;
      const journal = new JournalWriter(deps.files, folder, { ...input, turn: 0, attempt });
      const error = { code: 'Internal', message: reason, hint: HINT };
      try {
        const lines = rows.map((row) => {
          const line = row.result ?? untouchedLine(row, { ...input, status: 'FAILED', attempts: 1, error });
          if (row.result === undefined) void journal.write(line);
          return line;
        });
        return { page, ...countLines(lines, { round, rows: rows.length }) };
      } finally {
        await journal.close();
      }
    });
}
