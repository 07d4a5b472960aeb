import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { ActivityOptions } from '@temporalio/workflow';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../api/clock';
import { DEFAULT_UPLOAD_OPTIONS } from '../../../api/options/upload-options';
import { hostOfSource } from '../../../api/upload/sources/source-rules';
import { controlQueue, pagesQueue, transferQueue } from '../../upload/types';
import type { WorkerActivities } from '../../worker/create-worker';
import type { BatchInput, PageInput } from '../types';

type BatchActivities = Pick<WorkerActivities, 'planBatch' | 'uploadPage' | 'endRow' | 'writeResults'>;

/** How long a full disk or an unavailable folder or server is retried before finished work is given up. */
const RETRY_FOR_MS = 7 * DAY_MS;
/** Longer than any page takes: a row may be retried for a day. */
const PAGE_MS = 30 * DAY_MS;

const RETRY = { initialInterval: SECOND_MS, backoffCoefficient: 2, maximumInterval: MINUTE_MS };
const HEARTBEAT_MS = 20 * SECOND_MS;

/**
 * The steps of a batch and its pages as activities. They run on the machine of the batch's folder or files if there is
 * one, otherwise on any worker of the account. Pages have their own queue. A manifest is planned on its own machine.
 */
export function batchSteps(input: BatchInput | PageInput): BatchActivities {
  const { account, queuePrefix, folder, options } = input;
  const { accountId } = account;
  const control = controlQueue(queuePrefix, accountId);
  const queueAt = (host: string | undefined): string =>
    host === undefined ? control : transferQueue(queuePrefix, accountId, host);
  const folderHost = hostOfSource(folder);
  const steps = (more: ActivityOptions): BatchActivities =>
    proxyActivities<BatchActivities>({ heartbeatTimeout: HEARTBEAT_MS, retry: RETRY, ...more });

  const taskQueue = queueAt(folderHost);
  const reading = { startToCloseTimeout: DAY_MS, scheduleToCloseTimeout: DAY_MS };
  const writing = { startToCloseTimeout: DAY_MS, scheduleToCloseTimeout: RETRY_FOR_MS };
  const uploading = steps({
    taskQueue: pagesQueue(queuePrefix, accountId, folderHost ?? options.sourceHost),
    startToCloseTimeout: PAGE_MS,
    heartbeatTimeout: options.upload?.heartbeatMs ?? DEFAULT_UPLOAD_OPTIONS.heartbeatMs,
    // A lost worker's page continues at once. The activity says how long other failures wait.
    retry: { initialInterval: SECOND_MS, backoffCoefficient: 1 },
    // Its rows end first, and its result counts them.
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  });
  return {
    planBatch: steps({ taskQueue: queueAt(folderHost ?? manifestHost(input)), ...reading }).planBatch,
    uploadPage: uploading.uploadPage,
    // Has no other timeout, because the awaited workflow has one.
    endRow: steps({ taskQueue, startToCloseTimeout: DAY_MS }).endRow,
    writeResults: steps({ taskQueue, ...writing }).writeResults,
  };
}

function manifestHost(input: BatchInput | PageInput): string | undefined {
  if (!('manifest' in input) || 'rows' in input.manifest) return undefined;
  return hostOfSource(input.manifest.source);
}
