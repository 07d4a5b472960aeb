import { randomUUID } from 'node:crypto';
import type { Account, ServiceOptions } from '../../../api/account/account';
import type { FileLocation } from '../../../files/file-location';
import { locationText } from '../../../files/location-text';
import { controlQueue } from '../../contract/upload';
import { BATCH_WORKFLOW, type BatchMemo, type BatchOptions, type ManifestInput } from '../../contract/batch';
import { batchWorkflowId } from '../../contract/batch-ids';
import type { TemporalConnection } from '../connect';
import { errorOfRpc, isNotFound } from '../rpc-failure';
import { batchDigest } from './batch-digest';
import type { BatchHandle } from './batch-handle';
import { batchInput, labelOfManifest } from './batch-input';
import { openBatch } from './open-batch';
import { runBefore, runningBatch } from './running-batch';
import { refuseOtherBatch, type BatchStart, type EarlierBatch } from './refuse-other-batch';

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
export async function startUnlessDone(
  connection: TemporalConnection,
  { workflowId, input, digest }: Omit<BatchStart, 'digest'> & { readonly digest?: string },
  isDone: (earlier: EarlierBatch) => boolean,
): Promise<BatchHandle> {
  try {
    const running = await runningBatch(connection, workflowId).catch((error: unknown) => {
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
