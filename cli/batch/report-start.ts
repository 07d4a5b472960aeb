import { shownWait } from '../../api/advice';
import { MediaServiceError } from '../../api/errors';
import { given } from '../../api/json';
import { awaitPlan } from '../../temporal/batch/client/await-plan';
import type { BatchHandle } from '../../temporal/batch/client/open-batch';
import type { WaitReason } from '../../temporal/client/wait-reason';
import type { TemporalConnection } from '../../temporal/client/connect';
import type { WorkerNeed } from '../../temporal/client/living-workers';
import type { CliContext } from '../context';
import { CLI_WORDS } from '../errors/cli-words';
import { whileSlow } from '../output/while-slow';
import { warnWithoutWorker } from '../warn-without-worker';
import { rowsText } from '../text/batch-text';
import { leaveBatch, watchBatch } from './watch-batch';
import { batchNameOf } from '../../temporal/batch/ids';

interface BatchStartReport {
  readonly handle: BatchHandle;
  /** The workers that the batch needs. */
  readonly need: WorkerNeed;
  /** This machine's name. */
  readonly here: string;
  readonly watch: boolean;
  readonly json: boolean;
  /** The location of the results, shown once the batch is accepted, if it is new. */
  readonly resultsAt?: string | undefined;
}

/**
 * Reports what a start led to, once the plan is complete: the id and the next commands, or the whole batch with
 * `watch`. Ctrl-C and SIGTERM act as in `watchBatch`. Rejects with the
 * reason if the batch can't be planned, permanently or temporarily. A missing worker is only a warning.
 */
export async function reportBatchStart(
  context: CliContext,
  connection: TemporalConnection,
  { handle, need, here, watch, json, resultsAt }: BatchStartReport,
): Promise<void> {
  const { terminal, interrupts, clock } = context;
  const { workflowId, joined } = handle;
  const batch = batchNameOf(workflowId);
  const how = joined ? 'joined the running batch' : 'started';
  const sayWhere = (): void => {
    if (resultsAt === undefined || joined) return;
    terminal.note(`The results are written to ${resultsAt}; use --to for another folder.`);
  };
  if (watch && !json) {
    terminal.note(`${batch}: ${how}.`);
    sayWhere();
  }
  const starts = (): Promise<string> => Promise.resolve('The batch starts');
  await warnWithoutWorker(terminal, connection, { need, starts, here, json });
  if (watch) return watchBatch(context, handle, { json });
  const doing = 'waiting until a worker has read the manifest';
  const { rows, waitReason } = await whileSlow(context, { json, doing }, () =>
    awaitPlan(handle, { clock, signal: interrupts.first }),
  ).catch((error: unknown) => {
    if (!interrupts.first.aborted) throw error;
    return leaveBatch(context, handle, { json });
  });
  if (json) {
    const plan = given({ rows, waitReason: shownWait(CLI_WORDS, waitReason) });
    await terminal.json({ batchId: batch, workflowId, joined, ...plan });
  }
  const isWaiting = waitReason?.code === 'NoWorker';
  if (waitReason !== undefined && !isWaiting) throw notPlanned(batch, waitReason);
  if (json) return;
  const unread = isWaiting
    ? 'its manifest is read once a worker is there'
    : 'its manifest is still being read';
  const planned = rows === undefined ? unread : rowsText(rows);
  await terminal.data(`${batch}: ${how}, ${planned}\n`);
  sayWhere();
  terminal.note(
    ['watch', 'show', 'pause', 'cancel'].map((word) => `  media-service batch ${word} ${batch}`).join('\n'),
  );
}

/** The batch continues as soon as it can, but its starter should know now that it can't. */
function notPlanned(batch: string, { code, message, hint, remedy }: WaitReason): MediaServiceError {
  const cancel = `media-service batch cancel ${batch}`;
  const goesOn = `The batch waits, and retries for a day; \`${cancel}\` ends it.`;
  return new MediaServiceError(code, `The plan of ${batch} can't be made yet: ${message}`, {
    ...(remedy === undefined ? {} : { remedy }),
    hint: hint === undefined ? goesOn : `${hint} ${goesOn}`,
  });
}
