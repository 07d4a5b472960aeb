import type { FileLocation } from '../../../files/file-location';
import type { BatchCounts, BatchOptions } from '../../contract/batch';
import { isToUpload, NO_ROWS, withEnded } from '../../contract/batch-counts';
import type { ForAccount } from '../../contract/upload';
import type { ActivityDeps } from '../context/activity-deps';
import { inRetryableActivity } from './in-retryable-activity';
import { readJournal } from '../../batch/page-journal';
import { readPlannedRows } from '../../batch/planned-row';
import { loadRow } from './load-row';
import type { LoadedRow, SharedInput } from '../../batch/loaded-row';
import { withEarlierUploads } from './with-earlier-uploads';

type Input = ForAccount<{
  readonly queuePrefix: string;
  readonly batchId: string;
  readonly folder: FileLocation;
  readonly options: BatchOptions;
  readonly page: number;
  readonly round: number;
  readonly retryFailed: boolean;
  /** How often the page was lost. */
  readonly losses: number;
}>;

export interface LoadedPage {
  /** Counts of rows that have ended already. All other rows are `waiting`. */
  readonly counts: BatchCounts;
  /** What the inputs of all uploads have in common. Unset: no row can be uploaded. */
  readonly shared?: SharedInput;
  readonly rows: readonly LoadedRow[];
}

/**
 * The rows of a page that still need an upload. That excludes completed rows, and failed rows unless they must be
 * retried.
 */
export function loadPage(deps: ActivityDeps) {
  return (input: Input): Promise<LoadedPage> =>
    inRetryableActivity(async (signal) => {
      const { folder, page } = input;
      const planned = await readPlannedRows(deps.files, { folder, page }, signal);
      const journal = await readJournal(deps.files, { folder, page }, signal);
      let counts: BatchCounts = { ...NO_ROWS, rows: planned.length };
      const rows: LoadedRow[] = [];
      let shared: SharedInput | undefined;
      for (const one of planned) {
        const known = journal.lines.get(one.row.id);
        if (known !== undefined && !isToUpload(known, input)) {
          counts = withEnded(counts, known, input.round);
          continue;
        }
        const loaded = loadRow(deps, input, one);
        shared ??= loaded.shared;
        rows.push({ ...loaded.row, attempts: known?.attempts ?? 0 });
      }
      return {
        counts: { ...counts, waiting: rows.length },
        rows: await withEarlierUploads(rows, journal, input),
        ...(shared === undefined ? {} : { shared }),
      };
    });
}
