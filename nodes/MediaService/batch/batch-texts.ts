import type { NodeExecutionHint } from 'n8n-workflow';
import type { JsonObject } from '../../../api/json';

/** What the door shows of a batch, as far as it is used here. */
interface Counts {
  readonly rows: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
}

/** The progress of a batch as the editor's console shows it. */
export function batchProgress(shown: JsonObject, waiting?: string): string {
  const { batchId, progress } = shown as unknown as {
    readonly batchId: string;
    readonly progress?: { readonly phase: string; readonly counts: Counts; readonly pausedBecause?: string };
  };
  const reason = progress?.pausedBecause ?? waiting;
  const because = reason === undefined ? '' : ` (${reason})`;
  if (progress === undefined) return `${batchId}: waiting${because}`;
  const { rows, completed, failed, cancelled } = progress.counts;
  const wrong = failed === 0 ? '' : `, ${failed} failed`;
  return `${batchId}: ${progress.phase}${because}, ${completed + failed + cancelled} of ${rows} rows ended${wrong}`;
}

/** Names the rows that were not uploaded. */
export function batchHints(result: JsonObject): NodeExecutionHint[] {
  const { batchId, counts, results } = result as unknown as {
    readonly batchId: string;
    readonly counts: Counts;
    readonly results: { readonly csv: string; readonly failed?: string };
  };
  const { rows, failed, cancelled } = counts;
  const open = failed + cancelled;
  if (open === 0) return [];
  const where = results.failed === undefined ? results.csv : `${results.failed}, a manifest of them`;
  const message = `${batchId}: ${open} of ${rows} rows were not uploaded. See ${where}, or Batch > Get Results. Batch > Retry Failed uploads them once more.`;
  return [{ message, type: 'warning', location: 'outputPane' }];
}
