import type { Command } from 'commander';
import { accountId } from '../../../api/account';
import { locationText } from '../../../files/file-location';
import { readSettings } from '../../../settings/settings';
import { startBatch } from '../../../temporal/batch/client/start-batch';
import { batchNeed } from '../../../temporal/client/living-workers';
import type { WorkerNeed } from '../../../temporal/client/living-workers';
import { hostOf, prepareBatch, withBatchFlags } from '../../batch/prepare-batch';
import type { BatchFlags } from '../../batch/prepare-batch';
import { namedManifest } from '../../batch/manifest-argument';
import { checkedAccount, withTemporal, addHelp } from '../../context';
import type { CliContext } from '../../context';
import { shown } from '../../errors/what-to-do';
import { MediaServiceError } from '../../../api/errors';
import { given } from '../../../api/json';
import { awaitPlan } from '../../../temporal/batch/client/await-plan';
import type { BatchHandle } from '../../../temporal/batch/client/open-batch';
import type { WaitReason } from '../../../temporal/client/wait-reason';
import type { TemporalConnection } from '../../../temporal/client/connect';
import { warnWithoutWorker } from '../../missing-worker';
import { rowsText } from '../../batch/batch-text';
import { watchBatch } from './wait';
import { detach } from '../../interrupts';
import { batchNameOf } from '../../../temporal/batch/ids';

/** `media-service batches start MANIFEST`: uploads every file of a manifest. */
export function addBatchesStart(batches: Command, context: CliContext): void {
  const command = withBatchFlags(
    batches
      .command('start')
      .description(
        'Upload every file of a manifest; uploads continue without this terminal and after restarts.',
      )
      .argument('<manifest>', 'CSV or JSON lines: a path, an http(s) URL or s3://bucket/key'),
  );
  addHelp(
    command,
    'Checks the manifest and starts nothing if it has mistakes. Then it prints the id and the next commands; with --json one object. The same command joins the running batch, or uploads what is missing of an ended one. It uploads again what `upload` or another batch has sent. Without a worker, the batch waits. Ctrl-C and SIGTERM detach: the batch continues.',
    [
      'media-service batches start harbour.csv --wait',
      'media-service batches start harbour.csv --results s3://archive/batches/harbour',
    ],
  ).action((manifest: string, flags: BatchFlags) => start(context, manifest, flags));
}

async function start(context: CliContext, text: string, flags: BatchFlags): Promise<void> {
  const preparing = { context, settings: readSettings(context.env), flags };
  const { settings } = preparing;
  const { queuePrefix, options: serviceOptions } = settings;
  const manifest = await namedManifest(context, { text, flags, host: hostOf(preparing) });
  const prepared = await prepareBatch(preparing, manifest);
  const account = checkedAccount(settings);
  await withTemporal(settings, async (connection) => {
    const need = batchNeed({ ...prepared, queuePrefix, accountId: accountId(account) });
    context.interrupts.first.throwIfAborted();
    const handle = await startBatch(connection, { ...prepared, account, queuePrefix, serviceOptions });
    await reportBatchStart(context, connection, {
      handle,
      need,
      wait: flags.wait === true,
      ...(flags.results === undefined ? { resultsAt: locationText(prepared.folder) } : {}),
    });
  });
}

interface BatchStartReport {
  readonly handle: BatchHandle;
  /** The workers that the batch needs. */
  readonly need: WorkerNeed;
  readonly wait: boolean;
  /** The location of the results, shown once the batch is accepted, if it is new. */
  readonly resultsAt?: string | undefined;
}

/**
 * Reports what a start led to, once the plan is complete: the id and the next commands, or the whole batch with
 * `wait`. Ctrl-C and SIGTERM act as in `watchBatch`. Rejects with the
 * reason if the batch can't be planned, permanently or temporarily. A missing worker is only a warning.
 */
export async function reportBatchStart(
  context: CliContext,
  connection: TemporalConnection,
  { handle, need, wait, resultsAt }: BatchStartReport,
): Promise<void> {
  const { terminal, interrupts, clock } = context;
  const { workflowId, joined } = handle;
  const batch = batchNameOf(workflowId);
  const how = joined ? 'joined the running batch' : 'started';
  const sayWhere = (): void => {
    if (resultsAt === undefined || joined) return;
    terminal.note(`The results are written to ${resultsAt}; use --results for another folder.`);
  };
  if (wait) {
    terminal.note(`${batch}: ${how}.`);
    sayWhere();
  }
  await warnWithoutWorker(terminal, connection, { needs: [need], starts: 'The batch starts' });
  if (wait) return watchBatch(context, handle);
  const { rows, waitReason } = await awaitPlan(handle, { clock, signal: interrupts.first }).catch(
    (error: unknown) => {
      if (!interrupts.first.aborted) throw error;
      return detach(context, { noun: 'batch', running: [{ id: workflowId, name: batch }] });
    },
  );
  const plan = given({ rows, waitReason: shown(waitReason) });
  const json = { batchId: batch, workflowId, joined, ...plan };
  const isWaiting = waitReason?.code === 'NoWorker';
  if (waitReason !== undefined && !isWaiting) {
    if (terminal.isJson) await terminal.json(json);
    throw notPlanned(batch, waitReason);
  }
  const unread = isWaiting
    ? 'its manifest is read once a worker is there'
    : 'its manifest is still being read';
  const planned = rows === undefined ? unread : rowsText(rows);
  await terminal.answer(json, `${batch}: ${how}, ${planned}\n`);
  sayWhere();
  terminal.note(
    ['wait', 'show', 'pause', 'cancel'].map((word) => `  media-service batches ${word} ${batch}`).join('\n'),
  );
}

/** The batch continues as soon as it can, but its starter should know now that it can't. */
function notPlanned(batch: string, { code, message, hint }: WaitReason): MediaServiceError {
  const cancel = `media-service batches cancel ${batch}`;
  const goesOn = `The batch waits, and retries for a day; \`${cancel}\` ends it.`;
  return new MediaServiceError(code, `The plan of ${batch} can't be made yet: ${message}`, {
    hint: hint === undefined ? goesOn : `${hint} ${goesOn}`,
  });
}
