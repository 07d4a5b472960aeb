import { mapAll } from '../../../api/map-in-order';
import type { BatchCounts, PageInput } from '../../contract/batch';
import { isToUpload, NO_ROWS, withEnded } from '../../contract/batch-counts';
import type { ForAccount } from '../../contract/upload';
import type { ActivityDeps } from '../context/activity-deps';
import { DESCRIBED_AT_ONCE } from './described-workflow';
import { inRetryableActivity } from './in-retryable-activity';
import { readPage } from '../../batch/page-rows';
import { loadRow } from './load-row';
import type { LoadedRow, SharedInput } from '../../batch/loaded-row';
import { withEarlierUpload } from './with-earlier-upload';

type Input = ForAccount<
  Pick<
    PageInput,
    'queuePrefix' | 'batchId' | 'folder' | 'options' | 'page' | 'round' | 'retryFailed' | 'losses'
  >
>;

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
      const rows = await readPage(deps.files, input, signal);
      let counts: BatchCounts = { ...NO_ROWS, rows: rows.length };
      const loaded: ReturnType<typeof loadRow>[] = [];
      for (const row of rows) {
        const { result } = row;
        if (result === undefined || isToUpload(result, input)) loaded.push(loadRow(deps, input, row));
        else counts = withEnded(counts, result, input.round);
      }
      const shared = loaded.find((one) => one.shared !== undefined)?.shared;
      return {
        counts: { ...counts, waiting: loaded.length },
        rows: await mapAll(loaded, DESCRIBED_AT_ONCE, (one) => withEarlierUpload(one, input)),
        ...(shared === undefined ? {} : { shared }),
      };
    });
}
