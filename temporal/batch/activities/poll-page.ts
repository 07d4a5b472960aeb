import { Context } from '@temporalio/activity';
import { mapAll } from '../../../api/map-in-order';
import { MediaServiceError } from '../../../api/errors';
import { given } from '../../../api/json';
import { isRetryable } from '../../../api/retry';
import { DEFAULT_UPLOAD_OPTIONS } from '../../../api/options/upload-options';
import { pollSession, processingFailed } from '../../../api/upload/session/poll-session';
import { JournalWriter } from '../files/journal-writer';
import type { Processing } from '../files/page-journal';
import { failedLine, readPage } from '../files/result-line';
import type { BatchCounts, PageCounts, PageInput, ResultLine } from '../types';
import { NO_ROWS, withEnded } from '../counts';
import type { ForAccount } from '../../upload/types';
import { accountOf } from '../../worker/activity-deps';
import { countedStep } from '../../telemetry/activities';
import type { ActivityDeps } from '../../worker/activity-deps';
import { inRetryableActivity, stillRunning } from '../../worker/in-activity';

/** Sessions that are read at once. */
const AT_ONCE = 16;
const MAX_DELAY_MS = 60_000;

type Input = ForAccount<Pick<PageInput, 'batchId' | 'folder' | 'options' | 'page' | 'round' | 'losses'>> & {
  /** See `JournalSegment`. */
  readonly turn: number;
  /** Read once. Rows that are still processed end as cancelled. */
  readonly last?: true;
};

/**
 * Waits until the service has processed the rows of a page that are completed so far. While it still processes one, the
 * try ends as BENIGN and costs neither history nor a slot. Returns the counts of the page's journal.
 */
export function pollPage(deps: ActivityDeps) {
  return (input: Input): Promise<PageCounts> =>
    inRetryableActivity(async (signal) => {
      const { attempt } = Context.current().info;
      const rows = await readPage(deps.files, input, signal);
      const journal = new JournalWriter(deps.files, input.folder, { ...input, attempt });
      let open = 0;
      try {
        const lines = await mapAll(rows, AT_ONCE, async ({ processing, result }) => {
          if (processing === undefined) return result;
          const ended = await pollRow(deps, { ...input, processing }, signal);
          const line = ended ?? (input.last === true ? stillProcessed(processing) : undefined);
          if (line === undefined) open += 1;
          else await journal.write(line);
          countRow(deps, input.accountId, line);
          return line;
        });
        const counted = countLines(lines, { round: input.round, rows: rows.length });
        const { counts } = counted;
        const progress = { counts: { ...counts, running: open, waiting: counts.waiting - open } };
        Context.current().heartbeat(progress);
        if (open === 0) return counted;
      } finally {
        await journal.close();
      }
      const { pollDelayMs } = { ...DEFAULT_UPLOAD_OPTIONS, ...input.options.upload };
      const delays = { firstDelayMs: pollDelayMs, maxDelayMs: MAX_DELAY_MS };
      throw stillRunning(`The processing of ${String(open)} rows`, attempt, delays);
    });
}

/** Counts results. Rows without one wait. */
function countLines(
  lines: readonly (ResultLine | undefined)[],
  { round, rows }: { readonly round: number; readonly rows: number },
): PageCounts {
  let counts: BatchCounts = { ...NO_ROWS, rows };
  let failures = 0;
  for (const line of lines) {
    if (line === undefined) counts = { ...counts, waiting: counts.waiting + 1 };
    else counts = withEnded(counts, line, round);
    failures += Number(line?.status === 'FAILED' && line.round === round);
  }
  return { counts, failures };
}

/** Counts a row that has ended. `line`: unset if it has not. */
export function countRow({ metrics }: ActivityDeps, account: string, line: ResultLine | undefined): void {
  if (line === undefined) return;
  const { status, error } = line;
  metrics.add('uploadsEnded', {
    account,
    kind: 'row',
    outcome: status.toLowerCase(),
    code: error?.code ?? 'none',
  });
}

interface Poll extends Pick<Input, 'accountId' | 'options'> {
  readonly processing: Processing;
}

/** The result of a row that the service processes. Undefined: it still does, or can't be asked at the moment. */
export async function pollRow(
  deps: ActivityDeps,
  { accountId, options, processing: { line, completedAt } }: Poll,
  signal: AbortSignal,
): Promise<ResultLine | undefined> {
  const { processingLimitMs: limitMs } = { ...DEFAULT_UPLOAD_OPTIONS, ...options.upload };
  const { uploadId = '' } = line;
  try {
    await deps.accountRates.admitCall(accountId, signal);
    const input = { uploadId, completedAt, limitMs };
    const facts = { accountId, uploadId };
    const outcome = await countedStep(deps.metrics, { step: 'pollSession', facts }, () =>
      pollSession(accountOf(deps, accountId).service, input, signal),
    );
    if (!outcome.done) return undefined;
    const { session } = outcome;
    if (session.status === 'FAILED') throw processingFailed(session);
    const { mediaId = line.mediaId, fileUrl } = session;
    const endedAt = new Date().toISOString();
    return { ...line, ...given({ mediaId, fileUrl }), status: 'COMPLETED', endedAt };
  } catch (error) {
    if (signal.aborted || !(error instanceof MediaServiceError)) throw error;
    // A refused token says nothing of the row.
    if (isRetryable(error) || error.code === 'Unauthorized') return undefined;
    const { code, message, facts } = error;
    return { ...line, ...failedLine(line, { failure: { code, message, facts } }) };
  }
}

function stillProcessed({ line }: Processing): ResultLine {
  const message = `only the waiting was cancelled: complete was sent for upload session ${line.uploadId ?? ''}, and the service continues with it`;
  const details = given({ uploadId: line.uploadId, mediaId: line.mediaId });
  const facts = { hint: 'Read the session later to learn how it ended.', details };
  const cancelled = failedLine(line, { failure: { code: 'Cancelled', message, facts } });
  return { ...line, ...cancelled };
}
