import { locationText } from '../../../files/file-location';
import { controlQueue } from '../../upload/types';
import { BATCH_WORKFLOW } from '../types';
import type { BatchInput, BatchMemo } from '../types';
import { batchWorkflowId } from '../ids';
import type { TemporalConnection } from '../../client/connect';
import { errorOfRpc, ifKnown, isAlreadyStarted } from '../../client/rpc-failure';
import { batchDifferences, batchInput, labelOfManifest } from './batch-input';
import type { BatchDifference, StartBatch } from './batch-input';
import { openBatch, readBatchInput } from './open-batch';
import type { BatchHandle } from './open-batch';
import { canonicalJson } from '../../../api/json';
import { MediaServiceError } from '../../../api/errors';

/**
 * Starts a batch, or joins it. Finished uploads are never repeated. Under the same id:
 * - A running batch is joined if manifest, folder and options are the same. Otherwise the start is refused with
 *   `InputDiffers`.
 * - Every other batch is started again, and continues where it stopped: with added rows and with rows that were
 *   cancelled, not with completed rows. With `retryFailed`, also with failed rows. A completed row whose file has
 *   changed since fails, see `BatchOptions.uploadChanged`.
 * - If other rows of its manifest differ, the plan is refused, the result of this handle rejects with `InputDiffers`,
 *   and the batch does not change.
 *
 * The folder of a batch must stay the same, because its earlier results are there. The call returns as soon as
 * Temporal has accepted the batch, with or without a worker: see `unservedQueues`.
 */
export async function startBatch(connection: TemporalConnection, start: StartBatch): Promise<BatchHandle> {
  return startUnlessDone(connection, batchInput(start), ({ status }) => status === 'RUNNING');
}

/** Starts a batch unless the existing one is already done, or joins it. */
async function startUnlessDone(
  connection: TemporalConnection,
  input: BatchInput,
  isDone: (earlier: EarlierBatch) => boolean,
): Promise<BatchHandle> {
  const workflowId = batchWorkflowId(input.account.accountId, input.batchId);
  try {
    const earlier = await earlierBatch(connection, workflowId);
    if (earlier !== undefined) await refuseOtherBatch(connection, { workflowId, input }, earlier);
    if (earlier !== undefined && isDone(earlier)) return openBatch(connection, workflowId, { joined: true });
    await startWorkflow(connection, { workflowId, input }, earlier?.memo.planned === true);
    return openBatch(connection, workflowId);
  } catch (error) {
    // Somebody else started the batch first.
    if (isAlreadyStarted(error)) return startUnlessDone(connection, input, isDone);
    throw errorOfRpc(connection, workflowId, error);
  }
}

/** The latest start of a batch. Undefined: Temporal knows none (any more). Rejects as Temporal's client does. */
export async function earlierBatch(
  { client }: Pick<TemporalConnection, 'client'>,
  workflowId: string,
): Promise<EarlierBatch | undefined> {
  const found = await ifKnown(client.workflow.getHandle(workflowId).describe());
  return found && { runId: found.runId, status: found.status.name, memo: found.memo ?? {} };
}

async function startWorkflow(
  { client }: TemporalConnection,
  { workflowId, input }: BatchStart,
  again: boolean,
): Promise<void> {
  const label = labelOfManifest(input.manifest);
  const memo = {
    batchId: input.batchId,
    manifest: label,
    folder: locationText(input.folder),
    ...(again ? { planned: true } : {}),
  } satisfies BatchMemo;
  await client.workflow.start(BATCH_WORKFLOW, {
    workflowId,
    taskQueue: controlQueue(input.queuePrefix, input.account.accountId),
    args: [again ? { ...input, again } : input],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    memo,
    staticSummary: `Batch ${input.batchId} of ${label} to ${input.account.externalId}`,
  });
}

interface BatchStart {
  readonly workflowId: string;
  readonly input: BatchInput;
}

/** The batch that Temporal has under the id. */
interface EarlierBatch {
  readonly runId: string;
  /** The status as Temporal names it. */
  readonly status: string;
  readonly memo: BatchMemo;
}

/**
 * Rejects with `InputDiffers` if the existing batch can't become the requested one. Rejects with `RequestRefused` if
 * its failed rows must be retried while it runs.
 */
async function refuseOtherBatch(
  connection: TemporalConnection,
  { workflowId, input }: BatchStart,
  { runId, status }: EarlierBatch,
): Promise<void> {
  // A batch that failed as a whole may get another folder, because its folder may be the reason.
  if (status === 'FAILED') return;
  const theirs = await readBatchInput(connection, workflowId, runId);
  const differing = batchDifferences(input, theirs).filter(
    // An ended batch may continue with another manifest or other options.
    (part) => status === 'RUNNING' || part === 'folder',
  );
  if (differing.length > 0) throw inputDiffers({ workflowId, input }, theirs, { status, differing });
  if (status === 'RUNNING' && input.retryFailed === true) throw stillRunning(workflowId);
}

const ANOTHER = { manifest: 'another manifest', folder: 'another folder', options: 'other options' } as const;

function inputDiffers(
  { workflowId, input }: BatchStart,
  theirs: BatchInput,
  { status, differing }: { readonly status: string; readonly differing: readonly BatchDifference[] },
): MediaServiceError {
  const options = differing.includes('options') ? differingOptions(theirs, input) : [];
  const named = differing.map((part) =>
    part === 'options' ? ANOTHER[part] : `${ANOTHER[part]} (${detailsOf(part, theirs, input)})`,
  );
  const running = status === 'RUNNING';
  const shown = options.map((name) => `{option:${name}}`).join(', ');
  const differ = shown === '' ? '' : `These options differ: ${shown}. `;
  return new MediaServiceError(
    'InputDiffers',
    `The batch ${input.batchId} ${running ? 'is running' : 'exists'} with ${named.join(' and ')}.`,
    {
      outcome: 'refused',
      details: { workflowId, differs: differing.join(', ') },
      hint: running
        ? `${differ}Use the manifest, folder and options of the running batch, use another {batchId}, or wait until it ends. You can add rows to an ended batch.`
        : `${differ}Use the batch's own folder, or another {batchId}.`,
    },
  );
}

/** Both sides of a difference, as far as a message may show them. */
function detailsOf(part: 'folder' | 'manifest', theirs: BatchInput, mine: BatchInput): string {
  if (part === 'folder') return `there ${locationText(theirs.folder)}, here ${locationText(mine.folder)}`;
  const [there, here] = [labelOfManifest(theirs.manifest), labelOfManifest(mine.manifest)];
  return there === here ? `${here} has changed` : `there ${there}, here ${here}`;
}

/** Names of the options that differ. */
function differingOptions({ options: theirs }: BatchInput, { options: mine }: BatchInput): string[] {
  const text = (options: object, name: string): string => canonicalJson(Reflect.get(options, name));
  return Object.keys({ ...theirs, ...mine }).filter((name) => text(theirs, name) !== text(mine, name));
}

function stillRunning(workflowId: string): MediaServiceError {
  return new MediaServiceError(
    'RequestRefused',
    `The batch ${workflowId} still runs: its failed rows can be retried when it has ended.`,
    {
      outcome: 'refused',
      details: { workflowId },
      hint: 'Wait for its end, or cancel it first.',
    },
  );
}

/**
 * Starts an ended batch again with its original input. It uploads rows that failed, were cancelled or never began, and
 * added rows. A batch without such rows is joined, and its result is returned. Rejects with `RequestRefused` while the
 * batch runs.
 */
export async function retryFailedRows(
  connection: TemporalConnection,
  workflowId: string,
): Promise<BatchHandle> {
  const input = { ...(await readBatchInput(connection, workflowId)), retryFailed: true };
  return startUnlessDone(
    connection,
    input,
    ({ status, memo: { counts } }) =>
      status === 'COMPLETED' && counts?.failed === 0 && counts.cancelled === 0,
  );
}
