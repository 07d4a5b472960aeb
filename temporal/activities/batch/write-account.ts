import type { ManifestRow } from '../../../manifest/row';
import type { Place } from '../../../places/place';
import { placeText } from '../../../places/place-text';
import { deletePlace, writePlace } from '../../../places/places';
import type { ForAccount } from '../../contract';
import type { AccountLine, BatchCounts, BatchOptions, BatchResult } from '../../contract/batch';
import { earlierSessionOf } from '../../contract/earlier-session';
import { NO_ROWS, withEnded } from '../../contract/batch-counts';
import { accountOf } from '../context/activity-deps';
import type { ActivityDeps } from '../context/activity-deps';
import { inPatientActivity } from './in-patient-activity';
import { withAbsoluteSource } from './journal/absolute-source';
import { accountCsv } from './journal/account-csv';
import { accountFile } from './journal/batch-files';
import { failedManifest } from './journal/failed-rows';
import { isAccountLine, readJournal } from './journal/page-journal';
import { readLines } from './journal/line-files';
import { openedRow, readPlannedRows } from './journal/planned-row';
import { untouchedLine } from './journal/untouched-line';

type Input = ForAccount<{
  readonly batchId: string;
  readonly folder: Place;
  readonly options: BatchOptions;
  readonly pages: number;
  readonly round: number;
  /** ISO 8601. */
  readonly endedAt: string;
}>;

export type WrittenAccount = Pick<BatchResult, 'counts' | 'account'>;

/**
 * Joins the page journals to the account, one line for each row of the manifest, in its order but for rows that were added among known ones and come last, and the
 * failed rows to a manifest that can be started. Reads page by page, in the memory of one.
 */
export function writeAccount(deps: ActivityDeps) {
  return (input: Input): Promise<WrittenAccount> =>
    inPatientActivity(async (signal) => {
      const { places } = deps;
      const { folder } = input;
      const jsonl = accountFile(folder, 'account.jsonl');
      const csv = accountFile(folder, 'account.csv');
      const failed = accountFile(folder, 'failed.csv');
      const summary = new Summary(input.round);
      await writePlace(places, jsonl, jsonLines(accountLines(deps, { input, summary, signal })));
      const written = accountLinesOf(readLines(places, jsonl, signal));
      await writePlace(places, csv, accountCsv(written));
      const account = { jsonl: placeText(jsonl), csv: placeText(csv) };
      if (summary.counts.failed === 0) {
        await deletePlace(places, failed, signal);
        return { counts: summary.counts, account };
      }
      const rows = failedRows(deps, { input, summary, signal });
      await writePlace(places, failed, failedManifest(rows, [...summary.tags].sort()));
      return { counts: summary.counts, account: { ...account, failed: placeText(failed) } };
    });
}

/** What the first pass learns. */
class Summary {
  counts: BatchCounts = NO_ROWS;
  readonly tags = new Set<string>();
  /** Ids of failed rows by page. */
  readonly failed = new Map<number, Set<string>>();
  readonly #round: number;

  constructor(round: number) {
    this.#round = round;
  }

  add(page: number, row: ManifestRow, line: AccountLine): void {
    this.counts = withEnded({ ...this.counts, rows: this.counts.rows + 1 }, line, this.#round);
    if (line.status !== 'FAILED') return;
    for (const tag of Object.keys(row.media.tags ?? {})) this.tags.add(tag);
    this.failed.set(page, (this.failed.get(page) ?? new Set()).add(line.id));
  }
}

interface Pass {
  readonly input: Input;
  readonly summary: Summary;
  readonly signal: AbortSignal;
}

async function* accountLines(
  deps: ActivityDeps,
  { input, summary, signal }: Pass,
): AsyncGenerator<AccountLine> {
  const { folder, pages } = input;
  for (let page = 0; page < pages; page += 1) {
    const { lines, sessions } = await readJournal(deps.places, { folder, page }, signal);
    for (const { row } of await readPlannedRows(deps.places, { folder, page }, signal)) {
      const session = earlierSessionOf(sessions.get(row.id) ?? {});
      const known = lines.get(row.id) ?? untouchedLine(row, { ...input, ...NEVER_BEGAN, session });
      // The row can stand elsewhere in the manifest by now.
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
    for (const planned of await readPlannedRows(deps.places, { folder: input.folder, page }, signal)) {
      if (ids.has(planned.row.id))
        yield withAbsoluteSource(openedRow(planned, sealKeys), input.options.sourceFolder);
    }
  }
}

async function* jsonLines(lines: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const line of lines) yield `${JSON.stringify(line)}\n`;
}

async function* accountLinesOf(lines: ReturnType<typeof readLines>): AsyncGenerator<AccountLine> {
  for await (const line of lines) if (isAccountLine(line)) yield line;
}
