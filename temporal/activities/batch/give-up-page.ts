import type { ForAccount } from '../../contract';
import type { AccountLine, BatchOptions, PageResult } from '../../contract/batch';
import { earlierSessionOf } from '../../contract/earlier-session';
import { NO_ROWS, withEnded } from '../../contract/batch-counts';
import type { Place } from '../../../places/place';
import type { ActivityDeps } from '../context/activity-deps';
import { inPatientActivity } from './in-patient-activity';
import { journalFile } from './journal/batch-files';
import { readJournal } from './journal/page-journal';
import { writeLines } from './journal/line-files';
import { readPlannedRows } from './journal/planned-row';
import { untouchedLine } from './journal/untouched-line';

type Input = ForAccount<{
  readonly batchId: string;
  readonly folder: Place;
  readonly options: BatchOptions;
  readonly page: number;
  readonly round: number;
  readonly writer: string;
  /** Why: a full sentence. */
  readonly reason: string;
  /** ISO 8601. */
  readonly endedAt: string;
}>;

const HINT =
  'Start the batch again with retry-failed: an upload that has ended well is joined, not repeated.';

/** Accounts for the rows of a page that was lost again and again: those of which nothing is written down have failed, with the reason. */
export function giveUpPage(deps: ActivityDeps) {
  return (input: Input): Promise<PageResult> =>
    inPatientActivity(async (signal) => {
      const { folder, page, round, writer, reason } = input;
      const journal = await readJournal(deps.places, { folder, page }, signal);
      const lines: AccountLine[] = [];
      let counts = NO_ROWS;
      for (const { row } of await readPlannedRows(deps.places, { folder, page }, signal)) {
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
      await writeLines(deps.places, journalFile(folder, { page, round, writer, chunk: 0 }), lines);
      return { page, counts, failures: lines.length };
    });
}
