import type { ManifestRow } from '../../../manifest/row';
import type { FileLocation } from '../../../files/file-location';
import { locationText } from '../../../files/location-text';
import { deleteFileAt, writeFileAt } from '../../../files/files';
import type { ForAccount } from '../../contract/upload';
import type { ResultLine, BatchOptions, BatchResult } from '../../contract/batch';
import { earlierSessionOf } from '../../contract/earlier-run';
import { accountOf } from '../context/activity-deps';
import type { ActivityDeps } from '../context/activity-deps';
import { inRetryableActivity } from './in-retryable-activity';
import { resultsCsv } from '../../batch/results-csv';
import { resultsFile } from '../../batch/batch-files';
import { withAbsoluteSource, failedManifest } from '../../batch/failed-rows';
import { isResultLine, readJournal } from '../../batch/page-journal';
import { readLines } from '../../batch/line-files';
import { openedRow, readPlannedRows } from '../../batch/planned-row';
import { ResultsSummary } from '../../batch/results-summary';
import { untouchedLine } from '../../batch/untouched-line';

type Input = ForAccount<{
  readonly batchId: string;
  readonly folder: FileLocation;
  readonly options: BatchOptions;
  readonly pages: number;
  readonly round: number;
  /** ISO 8601. */
  readonly endedAt: string;
}>;

export type WrittenResults = Pick<BatchResult, 'counts' | 'results'>;

/**
 * Joins the page journals to the results: one line for each row, in the manifest's order. New rows of a batch that was
 * started again come last. Writes the failed rows as a manifest that can be started. Reads page by page, so that
 * memory holds only one page.
 */
export function writeResults(deps: ActivityDeps) {
  return (input: Input): Promise<WrittenResults> =>
    inRetryableActivity(async (signal) => {
      const { files } = deps;
      const { folder } = input;
      const jsonl = resultsFile(folder, 'results.jsonl');
      const csv = resultsFile(folder, 'results.csv');
      const failed = resultsFile(folder, 'failed.csv');
      const summary = new ResultsSummary(input.round);
      await writeFileAt(files, jsonl, jsonLines(resultLines(deps, { input, summary, signal })));
      const written = resultLinesOf(readLines(files, jsonl, signal));
      await writeFileAt(files, csv, resultsCsv(written));
      const results = { jsonl: locationText(jsonl), csv: locationText(csv) };
      if (summary.counts.failed === 0) {
        await deleteFileAt(files, failed, signal);
        return { counts: summary.counts, results };
      }
      const rows = failedRows(deps, { input, summary, signal });
      await writeFileAt(files, failed, failedManifest(rows, [...summary.tags].sort()));
      return { counts: summary.counts, results: { ...results, failed: locationText(failed) } };
    });
}

interface Pass {
  readonly input: Input;
  readonly summary: ResultsSummary;
  readonly signal: AbortSignal;
}

async function* resultLines(
  deps: ActivityDeps,
  { input, summary, signal }: Pass,
): AsyncGenerator<ResultLine> {
  const { folder, pages } = input;
  for (let page = 0; page < pages; page += 1) {
    const { lines, sessions } = await readJournal(deps.files, { folder, page }, signal);
    for (const { row } of await readPlannedRows(deps.files, { folder, page }, signal)) {
      const session = earlierSessionOf(sessions.get(row.id) ?? {});
      const known = lines.get(row.id) ?? untouchedLine(row, { ...input, ...NEVER_BEGAN, session });
      // The row can be on another line of the manifest now.
      const line = { ...known, line: row.line };
      summary.add(page, row, line);
      yield line;
    }
  }
}

const NEVER_BEGAN = {
  status: 'CANCELLED',
  attempts: 0,
  error: {
    code: 'Cancelled',
    message: 'The batch ended before this row began.',
    hint: 'Start the batch again to upload it.',
  },
} as const;

async function* failedRows(
  deps: ActivityDeps,
  { input, summary, signal }: Pass,
): AsyncGenerator<ManifestRow> {
  const { sealKeys } = accountOf(deps, input.accountId);
  for (const [page, ids] of summary.failed) {
    for (const planned of await readPlannedRows(deps.files, { folder: input.folder, page }, signal)) {
      if (ids.has(planned.row.id))
        yield withAbsoluteSource(openedRow(planned, sealKeys), input.options.sourceFolder);
    }
  }
}

async function* jsonLines(lines: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const line of lines) yield `${JSON.stringify(line)}\n`;
}

async function* resultLinesOf(lines: ReturnType<typeof readLines>): AsyncGenerator<ResultLine> {
  for await (const line of lines) if (isResultLine(line)) yield line;
}
