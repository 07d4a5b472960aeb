import type { AccountLine } from '../../temporal/contract/batch';
import { accountSoFar, type BatchFolder } from './account-so-far';
import { groupFailures, type FailureGroup } from './group-failures';

/** Enough to see what goes wrong; `batch report` has them all. */
const MOST_ROWS = 500;

/** The first failed rows of a batch, in the manifest's order, by what they failed with. */
export async function firstFailures(batch: BatchFolder, signal?: AbortSignal): Promise<FailureGroup[]> {
  const failed: AccountLine[] = [];
  for await (const { line } of accountSoFar(batch, signal)) {
    if (line?.status === 'FAILED' && failed.push(line) === MOST_ROWS) break;
  }
  return groupFailures(failed);
}
