import { randomUUID } from 'node:crypto';
import type { Account, ServiceOptions } from '../../../api/account';
import { locationText } from '../../../files/file-location';
import type { FileLocation } from '../../../files/file-location';
import { controlQueue } from '../../upload/types';
import { BATCH_WORKFLOW } from '../types';
import type { BatchInput, BatchMemo, BatchOptions, ManifestInput } from '../types';
import { batchWorkflowId } from '../ids';
import type { TemporalConnection } from '../../client/connect';
import { errorOfRpc, isNotFound } from '../../client/rpc-failure';
import { batchDifferences, batchDigest, batchInput, labelOfManifest } from './batch-input';
import type { BatchDifference } from './batch-input';
import { openBatch, readBatchInput } from './open-batch';
import type { BatchHandle } from './open-batch';
import { runBefore, runningBatch } from './running-batch';
import { canonicalJson } from '../../../api/json';
import { MediaServiceError } from '../../../api/errors';

export interface StartBatch {
  readonly account: Account;
  /**
   * The plain URL of an http manifest is sealed before it is sent. Rows are checked as the plan checks them, and
   * refused with `Validation`.
   */
  readonly manifest: ManifestInput;
  /**
   * Digest of the manifest's text, if the starter has read it. It shows without a worker that a running batch has the
   * same text.
   */
  readonly manifestDigest?: string;
  /** Folder for pages, page journals and results. */
  readonly folder: FileLocation;
  /** Name of the batch within its account. See `defaultBatchId`. */
  readonly batchId: string;
  readonly options?: BatchOptions;
  /** Retry the rows that failed in an earlier run. Default false. */
  readonly retryFailed?: boolean;
  /** Default `media-service`. */
  readonly queuePrefix?: string;
  /** The same as for the worker. Only `allowPlainHttp` matters here and, for rows, `ingestTag`. */
  readonly serviceOptions?: ServiceOptions;
}

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
  const { manifest, manifestDigest, folder, options = {} } = start;
  const input = batchInput(start);
  // Digest of the manifest before sealing. Sealed URLs with different paths can look the same.
  const digest = batchDigest({ manifest, manifestDigest, folder, options });
  const workflowId = batchWorkflowId(input.account.accountId, input.batchId);
  return startUnlessDone(connection, { workflowId, input, digest }, ({ status }) => status === 'RUNNING');
}

/**
 * Starts a batch unless the existing one is already done, or joins it. `digest`: unset, it is that of the existing
 * batch, and there must be one.
 */
async function startUnlessDone(
  connection: TemporalConnection,
  { workflowId, input, digest }: Omit<BatchStart, 'digest'> & { readonly digest?: string },
  isDone: (earlier: EarlierBatch) => boolean,
): Promise<BatchHandle> {
  try {
    const running = await runningBatch(connection.client, workflowId).catch((error: unknown) => {
      if (digest === undefined || !isNotFound(error)) throw error;
    });
    const memo: BatchMemo = running?.memo ?? {};
    const start = { workflowId, input, digest: digest ?? memo.inputDigest ?? '' };
    if (running === undefined) return await startOrJoinBatch(connection, start);
    const earlier = { status: running.status.name, memo };
    await refuseOtherBatch(connection, start, earlier);
    if (isDone(earlier)) {
      return openBatch(connection, workflowId, { joined: true, latest: earlier.status === 'RUNNING' });
    }
    return await startOrJoinBatch(connection, { ...start, before: runBefore(running) });
  } catch (error) {
    throw errorOfRpc(connection, workflowId, error);
  }
}

/** Starts the input unchanged, or joins a batch that somebody else has started meanwhile. */
async function startOrJoinBatch(connection: TemporalConnection, starting: BatchStart): Promise<BatchHandle> {
  const { workflowId, input, digest, before } = starting;
  const { client } = connection;
  const label = labelOfManifest(input.manifest);
  const memo = {
    batchId: input.batchId,
    inputDigest: digest,
    startId: randomUUID(),
    manifest: label,
    folder: locationText(input.folder),
    ...(before === undefined ? {} : { before }),
  } satisfies BatchMemo;
  await client.workflow.start(BATCH_WORKFLOW, {
    workflowId,
    taskQueue: controlQueue(input.queuePrefix, input.account.accountId),
    args: [before === undefined ? input : { ...input, again: true }],
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    memo,
    staticSummary: `Batch ${input.batchId} of ${label} to ${input.account.externalId}`,
  });
  const description = await client.workflow.getHandle(workflowId).describe();
  const found: BatchMemo = description.memo ?? {};
  const joined = found.startId !== memo.startId;
  // Somebody else started the batch first.
  if (joined) await refuseOtherBatch(connection, starting, { status: 'RUNNING', memo: found });
  return openBatch(connection, workflowId, { joined, latest: true });
}

interface BatchStart {
  readonly workflowId: string;
  readonly input: BatchInput;
  /** As `batchDigest` makes it. */
  readonly digest: string;
  /** Run id of the last start before this one whose manifest was accepted. */
  readonly before?: string | undefined;
}

/** The batch that Temporal has under the id: its latest run that was not refused. */
interface EarlierBatch {
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
  start: BatchStart,
  { status, memo }: EarlierBatch,
): Promise<void> {
  const differing = batchDifferences(start.digest, memo.inputDigest).filter(
    // An ended batch may continue with another manifest or other options. A batch that failed as a whole may also get
    // another folder, because its folder may be the reason. A refused start is neither of these.
    (part) => status === 'RUNNING' || (part === 'folder' && status !== 'FAILED'),
  );
  if (differing.length > 0) throw await inputDiffers(connection, start, { status, differing });
  if (status === 'RUNNING' && start.input.retryFailed === true) throw stillRunning(start.workflowId);
}

const ANOTHER = { manifest: 'another manifest', folder: 'another folder', options: 'other options' } as const;

async function inputDiffers(
  connection: TemporalConnection,
  { workflowId, input }: BatchStart,
  { status, differing }: { readonly status: string; readonly differing: readonly BatchDifference[] },
): Promise<MediaServiceError> {
  // Without the other input, the message names what differs, but no values.
  const theirs = await readBatchInput(connection, workflowId).catch(() => undefined);
  const options =
    theirs === undefined || !differing.includes('options') ? [] : differingOptions(theirs, input);
  const named = differing.map((part) => {
    const details = theirs === undefined || part === 'options' ? '' : detailsOf(part, theirs, input);
    return ANOTHER[part] + (details === '' ? '' : ` (${details})`);
  });
  const running = status === 'RUNNING';
  return new MediaServiceError(
    'InputDiffers',
    `The batch ${input.batchId} ${running ? 'is running' : 'exists'} with ${named.join(' and ')}.`,
    {
      outcome: 'refused',
      details: { workflowId, differs: differing.join(', ') },
      remedy: { kind: 'choose-another-batch', running, options },
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
function differingOptions(theirs: BatchInput, mine: BatchInput): string[] {
  const [there, here] = [theirs.options, mine.options].map((options) => new Map(Object.entries(options)));
  const names = [...new Set([...(there?.keys() ?? []), ...(here?.keys() ?? [])])];
  return names.filter((name) => canonicalJson(there?.get(name)) !== canonicalJson(here?.get(name)));
}

function stillRunning(workflowId: string): MediaServiceError {
  return new MediaServiceError(
    'RequestRefused',
    `The batch ${workflowId} still runs: its failed rows can be retried when it has ended.`,
    {
      outcome: 'refused',
      details: { workflowId },
      remedy: { kind: 'wait-for-batch' },
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
    { workflowId, input },
    ({ status, memo: { counts } }) =>
      status === 'COMPLETED' && counts?.failed === 0 && counts.cancelled === 0,
  );
}
