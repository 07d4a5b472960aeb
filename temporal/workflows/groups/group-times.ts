import { ActivityCancellationType } from '@temporalio/workflow';
import type { ActivityOptions } from '@temporalio/workflow';
import { MAX_RETRY_AFTER_MS } from '../../../api/retry/retry-after';
import type { PartInput } from '../../../api/upload/upload-steps';
import type { Sealed } from '../../contract/upload';
import type { GroupedInput } from '../../contract/groups';
import type { UploadGroupKind } from '../../contract/upload-groups';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../api/durations';

/** Time of a group that calls the service. Within it, a read may wait as long as the service asks for. */
const CALLS_MS = MAX_RETRY_AFTER_MS + 4 * MINUTE_MS;
/** The same for groups that also read before and after their call. */
const COMPLETE_MS = MAX_RETRY_AFTER_MS + 6 * MINUTE_MS;
/** Extra time of a part besides sending its bytes: for a slot, a permit, a URL and storage's answer. */
const PART_EXTRA_MS = 2 * MINUTE_MS;
/** Number of workers that can share a batch's bandwidth without a timeout of their parts. */
const MAX_SHARES = 64;

/** Temporal's priorities are 1 to 5, with 3 as default. */
const SMALL_FILE_PRIORITY = 2;
const LARGE_FILE_PRIORITY = 4;

export const BACKOFF_MS = MINUTE_MS;
export const PART_BACKOFF_MS = 30 * SECOND_MS;

/** A worker refuses a result above the limits that Temporal reports. A smaller group may help, a repetition does not. */
const TOO_LARGE = 'PayloadsTooLarge';
const RETRY = {
  initialInterval: SECOND_MS,
  backoffCoefficient: 2,
  maximumInterval: BACKOFF_MS,
  nonRetryableErrorTypes: [TOO_LARGE],
};
const UNTIL_ENDED = { cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED } as const;

/** A lost worker counts as a failed try, so tries are limited by time, not by number. */
export function timesOf(
  kind: UploadGroupKind,
  {
    inputs,
    scheduleToCloseTimeout,
  }: {
    readonly inputs: readonly GroupedInput<unknown>[];
    readonly scheduleToCloseTimeout: number;
  },
): ActivityOptions {
  switch (kind) {
    case 'startSessions':
      // Sent only once. Other steps find out what a `start` without an answer did.
      return { startToCloseTimeout: CALLS_MS, retry: { maximumAttempts: 1 } };
    case 'pinSources':
      // Shares its queue with parts, and must not wait behind those of a large file.
      return {
        startToCloseTimeout: DAY_MS,
        scheduleToCloseTimeout,
        retry: RETRY,
        priority: { priorityKey: SMALL_FILE_PRIORITY },
        ...UNTIL_ENDED,
      };
    case 'completeSessions':
      return { startToCloseTimeout: COMPLETE_MS, scheduleToCloseTimeout, retry: RETRY, ...UNTIL_ENDED };
    case 'sendParts':
      return {
        ...partTimes(inputs.map(({ input }) => input as PartInput<Sealed>)),
        scheduleToCloseTimeout,
        retry: { ...RETRY, maximumInterval: PART_BACKOFF_MS },
        ...UNTIL_ENDED,
      };
    default:
      return { startToCloseTimeout: CALLS_MS, scheduleToCloseTimeout, retry: RETRY };
  }
}

/**
 * Allows time as if the parts were sent one after the other at their minimum speed, after a wait for URLs. Smaller
 * files have a higher priority, so that a file of a single part does not wait behind all parts of large files. Between
 * batches, the fairness key of the upload decides.
 */
function partTimes(
  parts: readonly PartInput<Sealed>[],
): Pick<ActivityOptions, 'startToCloseTimeout' | 'priority'> {
  const sendingMs = parts.reduce((sum, { bytes, minimumThroughput, bandwidth }) => {
    const slowest = Math.min(minimumThroughput, (bandwidth?.bytesPerSecond ?? Infinity) / MAX_SHARES);
    return sum + PART_EXTRA_MS + (slowest === 0 ? DAY_MS : Math.ceil(bytes / slowest) * SECOND_MS);
  }, 0);
  const isSmall = parts.every(({ bytes, source }) => bytes === source.bytes);
  return {
    startToCloseTimeout: Math.min(DAY_MS, MAX_RETRY_AFTER_MS + sendingMs),
    priority: { priorityKey: isSmall ? SMALL_FILE_PRIORITY : LARGE_FILE_PRIORITY },
  };
}
