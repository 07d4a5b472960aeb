import { ActivityCancellationType, CancellationScope, proxyActivities, sleep } from '@temporalio/workflow';
import type { ActivityOptions } from '@temporalio/workflow';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../api/clock';
import { MediaServiceError } from '../../api/errors';
import { given } from '../../api/json';
import { MAX_RETRY_AFTER_MS } from '../../api/retry';
import { DEFAULT_UPLOAD_OPTIONS } from '../../api/options/upload-options';
import { SLOWEST_BYTES_PER_SECOND } from '../../api/upload/plan-parts';
import type { SourceDescriptor } from '../../api/upload/sources/source';
import { hostOfSource, isOurs } from '../../api/upload/sources/source-rules';
import type { PartInput, StepFailure, UploadSteps } from '../../api/upload/types';
import { controlQueue, STEP_RETRY_MS, transferQueue } from './types';
import type { Sealed, UploadWorkflowInput } from './types';
import { stepFailureOf } from '../failure';
import type { uploadActivities } from './activities';

type UploadActivities = ReturnType<typeof uploadActivities>;

/** Time of a step that calls the service. Within it, a read may wait as long as the service asks for. */
const CALL_MS = MAX_RETRY_AFTER_MS + 4 * MINUTE_MS;
/** The same for `complete`, which also reads before it sends. */
const COMPLETE_MS = MAX_RETRY_AFTER_MS + 6 * MINUTE_MS;
/** Extra time of a part besides sending its bytes: for a slot, a permit, a URL and storage's answer. */
const PART_EXTRA_MS = 2 * MINUTE_MS;
/** A `start` is not sent late: see `startLimitMs`. It may wait for a worker as long as it takes. */
const ANY_TIME_MS = 3650 * DAY_MS;
/** A file that can't be removed must not keep an upload from ending. */
const RELEASE_MS = 2 * MINUTE_MS;

/** Temporal's priorities are 1 to 5, with 3 as default. */
const SMALL_FILE_PRIORITY = { priorityKey: 2 };
const LARGE_FILE_PRIORITY = { priorityKey: 4 };

const RETRY = { initialInterval: SECOND_MS, backoffCoefficient: 2, maximumInterval: MINUTE_MS };
/** Cancelled steps end before the upload does. Temporal ends one at once that no worker has taken. */
const UNTIL_ENDED = { cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED } as const;

type Upload = Pick<UploadWorkflowInput, 'account' | 'queuePrefix' | 'options'>;

/**
 * The steps of one upload, each call of a step an activity. A lost worker counts as a failed try, so tries are limited
 * by time, not by number. `onWait`: why `start` waits for its next try, or undefined when it no longer does.
 */
export function workflowSteps(
  upload: Upload,
  onWait: (reason: StepFailure | undefined) => void,
): UploadSteps<Sealed> {
  const { accountId } = upload.account;
  const { pollDelayMs, processingLimitMs } = { ...DEFAULT_UPLOAD_OPTIONS, ...upload.options };
  const call = callsOf(upload);
  return {
    async pinSource({ source }) {
      // Shares its queue with parts, and must not wait behind those of a large file.
      const times = { startToCloseTimeout: DAY_MS, priority: SMALL_FILE_PRIORITY, ...UNTIL_ENDED };
      const pinned = await call({ ...queueOf(upload, source), ...times }).pinSource({ accountId, source });
      return { source, ...pinned };
    },
    async startSession(input) {
      try {
        // Sent only once. Other steps find out what a `start` without an answer did.
        const once = { scheduleToCloseTimeout: ANY_TIME_MS, retry: { maximumAttempts: 1 }, ...UNTIL_ENDED };
        return await call(once).startSession({ accountId, ...input });
      } catch (error) {
        if (stepFailureOf(error).code !== 'Cancelled') throw error;
        throw new MediaServiceError('Cancelled', 'The upload was cancelled.', { outcome: 'unsent' });
      }
    },
    async awaitUploadHost({ pauseMs, failure }) {
      onWait(pausing(failure, pauseMs));
      await sleep(pauseMs).finally(() => onWait(undefined));
      await call().awaitUploadHost({ accountId });
    },
    findOrphans: (input) => call().findOrphans({ accountId, ...input }),
    sendParts: partsStep(upload, call),
    sendPart: () => Promise.reject(new Error('Parts are sent by sendParts.')),
    completeSession: (input) =>
      call({ startToCloseTimeout: COMPLETE_MS, ...UNTIL_ENDED }).completeSession({ accountId, ...input }),
    pollSession(input) {
      const times = { scheduleToCloseTimeout: processingLimitMs + STEP_RETRY_MS };
      return call(times).pollSession({ accountId, pollDelayMs, ...input });
    },
    readSession: ({ uploadId }) => call().readSession({ accountId, uploadId }),
    async releaseSource({ source }) {
      if (!isOurs(source)) return;
      const times = { ...queueOf(upload, source), scheduleToCloseTimeout: RELEASE_MS };
      await CancellationScope.nonCancellable(() => call(times).releaseSource({ accountId, source }));
    },
  };
}

type Calls = (change?: ActivityOptions) => UploadActivities;

function callsOf({ account, queuePrefix, options }: Upload): Calls {
  const retried: ActivityOptions = {
    taskQueue: controlQueue(queuePrefix, account.accountId),
    heartbeatTimeout: options.heartbeatMs ?? DEFAULT_UPLOAD_OPTIONS.heartbeatMs,
    startToCloseTimeout: CALL_MS,
    scheduleToCloseTimeout: STEP_RETRY_MS,
    retry: RETRY,
  };
  return (change) => proxyActivities<UploadActivities>({ ...retried, ...change });
}

function queueOf({ account, queuePrefix }: Upload, source: SourceDescriptor): { readonly taskQueue: string } {
  return { taskQueue: transferQueue(queuePrefix, account.accountId, hostOfSource(source)) };
}

function partsStep(upload: Upload, call: Calls): NonNullable<UploadSteps<Sealed>['sendParts']> {
  const { accountId } = upload.account;
  return async (inputs, atOnce) => {
    const [first] = inputs;
    if (first === undefined) return [];
    const { partNumber: _number, offset: _offset, bytes: _bytes, url: _url, ...shared } = first;
    const parts = inputs.map(({ partNumber, offset, bytes, url }) => ({
      ...{ partNumber, offset, bytes },
      ...given({ url }),
    }));
    const times = { ...queueOf(upload, shared.source.source), ...partTimes(inputs), ...UNTIL_ENDED };
    return call(times).sendParts({ accountId, ...shared, parts, atOnce });
  };
}

/**
 * Allows time as if the parts were sent one after the other on the slowest line, after a wait for URLs. Smaller
 * files have a higher priority, so that a file of a single run does not wait behind all parts of large files. Between
 * batches, the fairness key of the upload decides.
 */
function partTimes(
  parts: readonly PartInput<Sealed>[],
): Pick<ActivityOptions, 'startToCloseTimeout' | 'priority'> {
  let sendingMs = 0;
  let sent = 0;
  for (const { bytes } of parts) {
    sendingMs += PART_EXTRA_MS + Math.ceil(bytes / SLOWEST_BYTES_PER_SECOND) * SECOND_MS;
    sent += bytes;
  }
  return {
    startToCloseTimeout: Math.min(DAY_MS, MAX_RETRY_AFTER_MS + sendingMs),
    priority: sent === parts[0]?.source.bytes ? SMALL_FILE_PRIORITY : LARGE_FILE_PRIORITY,
  };
}

const NOTHING_TO_DO =
  'You need to do nothing: start is sent again once the upload host answers, and a session that it may have made is searched for first.';

/** Why `start` waits. If nothing was sent, the address may be wrong, so the failure keeps its own advice. */
function pausing({ code, message, facts }: StepFailure, pauseMs: number): StepFailure {
  const hint = (facts.outcome === 'unsent' ? facts.hint : undefined) ?? NOTHING_TO_DO;
  const seconds = Math.ceil(pauseMs / 1000);
  return { code, message: `${message}; it is tried again in ${seconds} s`, facts: { ...facts, hint } };
}
