import { locationText } from '../../../files/file-location';
import { deleteFileAt, writeFileAt } from '../../../files/files';
import type { FileAccess } from '../../../files/output-path';
import type { ForAccount } from '../../upload/types';
import type { BatchCounts, BatchInput, BatchResult, ResultLine } from '../types';
import { NO_ROWS, withEnded } from '../counts';
import { accountOf } from '../../worker/activity-deps';
import type { ActivityDeps } from '../../worker/activity-deps';
import { inRetryableActivity } from '../../worker/in-activity';
import { failedManifest, resultsCsv } from '../files/result-files';
import { batchFile, readLines } from '../files/batch-files';
import { rowsOfPages } from '../files/page-journal';
import { neverEndedLine } from '../files/result-line';

type Input = ForAccount<Pick<BatchInput, 'batchId' | 'folder' | 'options'>> & {
  readonly pages: number;
  readonly skipped?: number | undefined;
  readonly round: number;
  /** ISO 8601. */
  readonly endedAt: string;
};

export type WrittenResults = Pick<BatchResult, 'counts' | 'results'>;

/**
 * Joins the page journals to the results: one line for each row, in the manifest's order. New rows of a batch that was
 * started again come last. Writes the failed rows as a manifest that can be started. Reads page by page, so that
 * memory holds only a few pages.
 */
export function writeResults(deps: ActivityDeps) {
  return (input: Input): Promise<WrittenResults> =>
    inRetryableActivity(async (signal) => {
      const { files } = deps;
      const { folder, options } = input;
      const jsonl = batchFile(folder, 'results.jsonl');
      const csv = batchFile(folder, 'results.csv');
      const failed = batchFile(folder, 'failed.csv');
      const summary: Summary = { counts: NO_ROWS, failedPages: new Set() };
      await writeFileAt(files, jsonl, joinedLines(files, { input, summary, signal }));
      await writeFileAt(files, csv, resultsCsv(readLines<ResultLine>(files, jsonl, { signal })));
      const results = { jsonl: locationText(jsonl), csv: locationText(csv) };
      const { counts, failedPages } = summary;
      if (failedPages.size === 0) {
        await deleteFileAt(files, failed, signal);
        return { counts, results };
      }
      const manifest = failedManifest({
        format: 'csv',
        read: () => rowsOfPages(files, { folder, pages: failedPages }, signal),
        sealKeys: accountOf(deps, input.accountId).sealKeys,
        sourceFolder: options.sourceFolder,
      });
      await writeFileAt(files, failed, manifest);
      return { counts, results: { ...results, failed: locationText(failed) } };
    });
}

/** What the first pass over the pages finds. */
interface Summary {
  counts: BatchCounts;
  /** Pages with failed rows. */
  readonly failedPages: Set<number>;
}

async function* joinedLines(
  files: FileAccess,
  {
    input,
    summary,
    signal,
  }: { readonly input: Input; readonly summary: Summary; readonly signal: AbortSignal },
): AsyncGenerator<string> {
  const pages = Array.from({ length: input.pages }).keys();
  const counted = (line: ResultLine): string => {
    const { counts } = summary;
    summary.counts = withEnded({ ...counts, rows: counts.rows + 1 }, line, input.round);
    return `${JSON.stringify(line)}\n`;
  };
  for await (const row of rowsOfPages(files, { folder: input.folder, pages }, signal)) {
    const isOpen = row.result === undefined || row.processing !== undefined;
    const line = isOpen ? neverEndedLine(row, input) : row.result;
    if (line.status === 'FAILED') summary.failedPages.add(row.page);
    yield counted(line);
  }
  if (input.skipped === undefined) return;
  const skipped = batchFile(input.folder, 'skipped.jsonl');
  for await (const line of readLines<ResultLine>(files, skipped, { signal })) yield counted(line);
}
