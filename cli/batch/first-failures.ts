import type { ResultLine } from '../../temporal/contract/batch';
import { resultsSoFar, type BatchFolder } from './results-so-far';
import { groupFailures, type FailureGroup } from './group-failures';

/** Enough to see what goes wrong; `batch report` shows all. */
const MAX_ROWS = 500;

/** Returns the first failed rows of a batch in the manifest's order, grouped by their errors. */
export async function firstFailures(batch: BatchFolder, signal?: AbortSignal): Promise<FailureGroup[]> {
  const failed: ResultLine[] = [];
  for await (const { line } of resultsSoFar(batch, signal)) {
    if (line?.status === 'FAILED' && failed.push(line) === MAX_ROWS) break;
  }
  return groupFailures(failed);
}
