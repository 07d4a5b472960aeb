import { randomUUID } from 'node:crypto';
import type { Account, ServiceOptions } from '../../../api/account/account';
import type { Place } from '../../../places/place';
import { placeText } from '../../../places/place-text';
import { controlQueue, DEFAULT_QUEUE_PREFIX } from '../../contract';
import { BATCH_WORKFLOW } from '../../contract/batch';
import { batchWorkflowId } from '../../contract/batch-ids';
import type { BatchMemo, BatchOptions, ManifestInput } from '../../contract/batch';
import type { TemporalConnection } from '../connect';
import { errorOfRpc } from '../rpc-failure';
import { batchDifferences, batchDigest, knowsText } from './batch-digest';
import type { BatchHandle } from './batch-handle';
import { batchInput } from './batch-input';
import { labelOfManifest } from './manifest-label';
import { openBatch } from './open-batch';
import { runBefore, standingBatch } from './standing-batch';
import { refuseOtherBatch, type BatchStart, type EarlierBatch } from './refuse-other-batch';

export interface StartBatch {
  readonly account: Account;
  /** The plain address of an http manifest is sealed before it goes out. Rows are checked as the plan checks them, and refused with `Validation`. */
  readonly manifest: ManifestInput;
  /**
   * Digest of the manifest's text, where the starter has read it: the same text is then known without a worker. Unset: a batch that
   * has ended is planned again, which finds what was added.
   */
  readonly manifestDigest?: string;
  /** Where pages, page journals and account are written. */
  readonly folder: Place;
  /** Names the batch within its account; see `defaultBatchId`. */
  readonly batchId: string;
  readonly options?: BatchOptions;
  /** Upload the rows once more that failed in an earlier run. Default false. */
  readonly retryFailed?: boolean;
  /** Default `media-service`. */
  readonly queuePrefix?: string;
  /** As the worker has them; `allowPlainHttp` and, for rows, `ingestTag` matter here. */
  readonly serviceOptions?: ServiceOptions;
}

/**
 * Starts a batch, or joins it; whatever was uploaded stays uploaded. Under the same id:
 * - one that runs is this one if manifest, folder and options are the same, else the start is refused with `InputDiffers`;
 * - one that has ended with all rows completed, and with the same manifest, is joined: its result is this one's;
 * - one with failed rows is joined as well, and with `retryFailed` it is started again for those;
 * - one that was cancelled, terminated, or failed as a whole goes on where it stopped;
 * - one that has ended is started again with a manifest to which rows were added; where other rows differ the plan is refused, which
 *   the result of this handle says (`InputDiffers`), and the batch stays what it was.
 * The folder of a batch stays the same, or its earlier account would not be found. It returns as soon as Temporal has taken the
 * batch, whether or not a worker is there: see `unservedQueues`.
 */
export async function startBatch(connection: TemporalConnection, start: StartBatch): Promise<BatchHandle> {
  const { manifest, manifestDigest, folder, options = {} } = start;
  const input = batchInput({ ...start, options, queuePrefix: start.queuePrefix ?? DEFAULT_QUEUE_PREFIX });
  // Of the manifest as it was given: sealed, addresses with another path can look the same.
  const digest = batchDigest({ manifest, manifestDigest, folder, options });
  const starting = { input, digest, workflowId: batchWorkflowId(input.account.accountId, input.batchId) };
  try {
    const before = await earlierBatch(connection, starting);
    if (before !== undefined && isAnswer(before, starting)) {
      return openBatch(connection, starting.workflowId, {
        joined: true,
        latest: before.status === 'RUNNING',
      });
    }
    return await startOrJoinBatch(connection, { ...starting, before: before?.before });
  } catch (error) {
    throw errorOfRpc(connection, starting.workflowId, error);
  }
}

async function earlierBatch(
  connection: TemporalConnection,
  start: BatchStart,
): Promise<(EarlierBatch & Pick<BatchStart, 'before'>) | undefined> {
  try {
    const standing = await standingBatch(connection, start.workflowId);
    const { status, memo } = standing;
    const earlier = { status: status.name, memo: memo ?? {} };
    await refuseOtherBatch(connection, start, earlier);
    return { ...earlier, before: runBefore(standing) };
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkflowNotFoundError') return undefined;
    throw error;
  }
}

/** Whether what is there already is what was asked for, so that nothing is to be started. */
function isAnswer({ status, memo }: EarlierBatch, { input, digest }: BatchStart): boolean {
  if (status === 'RUNNING') return true;
  if (status !== 'COMPLETED') return false;
  if (input.retryFailed === true && memo.counts?.failed !== 0) return false;
  const isRead = 'rows' in input.manifest || (knowsText(digest) && knowsText(memo.inputDigest));
  return isRead && !batchDifferences(digest, memo.inputDigest).includes('manifest');
}

/** Starts the input as it is, or joins what somebody else has started meanwhile. */
export async function startOrJoinBatch(
  connection: TemporalConnection,
  starting: BatchStart,
): Promise<BatchHandle> {
  const { workflowId, input, digest, before } = starting;
  const { client } = connection;
  const label = labelOfManifest(input.manifest);
  const memo = {
    batchId: input.batchId,
    inputDigest: digest,
    startId: randomUUID(),
    manifest: label,
    folder: placeText(input.folder),
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
  // Somebody else was faster.
  if (joined) await refuseOtherBatch(connection, starting, { status: 'RUNNING', memo: found });
  return openBatch(connection, workflowId, { joined, latest: true });
}
