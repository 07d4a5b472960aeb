import { proxyActivities, type ActivityOptions } from '@temporalio/workflow';
import type { BatchActivities } from '../../activities/batch/batch-activities';
import { controlQueue, hostQueue } from '../../contract/upload';
import type { BatchInput, PageInput } from '../../contract/batch';
import { hostOfSource } from '../../../api/upload/sources/source-rules';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../api/durations';

/** How long a full disk or an unavailable folder or server is retried before finished work is given up. */
const RETRY_FOR_MS = 7 * DAY_MS;

const RETRY = { initialInterval: SECOND_MS, backoffCoefficient: 2, maximumInterval: MINUTE_MS };
const HEARTBEAT_MS = 20 * SECOND_MS;

/**
 * The steps of a batch and its pages as activities. They run on the machine of the batch's folder if it has one,
 * otherwise on any worker of the account. A manifest is planned on its own machine.
 */
export function batchSteps(input: BatchInput | PageInput): BatchActivities {
  const { account, queuePrefix, folder } = input;
  const control = controlQueue(queuePrefix, account.accountId);
  const queueAt = (host: string | undefined): string =>
    host === undefined ? control : hostQueue(queuePrefix, account.accountId, host);
  const folderHost = folder.kind === 'path' ? folder.host : undefined;
  const atFolder = queueAt(folderHost);
  const steps = (more: ActivityOptions): BatchActivities =>
    proxyActivities<BatchActivities>({ heartbeatTimeout: HEARTBEAT_MS, retry: RETRY, ...more });

  const reading = { startToCloseTimeout: DAY_MS, scheduleToCloseTimeout: DAY_MS };
  const planning = steps({ taskQueue: queueAt(folderHost ?? manifestHost(input)), ...reading });
  const unlimited = steps({
    taskQueue: atFolder,
    startToCloseTimeout: DAY_MS,
    scheduleToCloseTimeout: RETRY_FOR_MS,
  });
  // Has no timeout of its own, because the awaited workflow has one.
  const waiting = steps({ taskQueue: control, startToCloseTimeout: MINUTE_MS });
  const { planBatch } = planning;
  const { loadPage, writeJournal, giveUpPage, writeResults } = unlimited;
  const { joinUpload, awaitPage } = waiting;
  return { planBatch, loadPage, writeJournal, giveUpPage, writeResults, joinUpload, awaitPage };
}

function manifestHost(input: BatchInput | PageInput): string | undefined {
  if (!('manifest' in input) || 'rows' in input.manifest) return undefined;
  return hostOfSource(input.manifest.source);
}
