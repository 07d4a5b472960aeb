import { ActivityCancellationType, CancellationScope, proxyActivities } from '@temporalio/workflow';
import type { ActivityOptions } from '@temporalio/workflow';
import { DEFAULT_UPLOAD_OPTIONS } from '../../api/upload/request/upload-request';
import type { PartInput, UploadSteps } from '../../api/upload/upload-steps';
import type { UploadActivities } from '../activities/create-activities';
import { controlQueue, sourceQueue } from '../contract';
import type { Sealed, UploadWorkflowInput } from '../contract';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** How long a step that fails in a way that may pass is repeated. */
export const DAY_MS = 24 * 60 * MINUTE_MS;
/** Time of a part besides its bytes: a permit to wait for, a URL to ask for, storage's answer. */
const PART_EXTRA_MS = 2 * MINUTE_MS;

/** Workers that may share the bandwidth of a batch without a part running out of its time. */
const MOST_SHARES = 64;

/** Temporal knows 1 to 5, 3 is what everything else has. */
const SMALL_FILE_PRIORITY = 2;
const LARGE_FILE_PRIORITY = 4;

const PATIENT = { initialInterval: SECOND_MS, backoffCoefficient: 2, maximumInterval: MINUTE_MS };

/** The steps of an upload as activities on the queues of its account, with the time-outs that each of them needs. */
export function activitySteps(input: UploadWorkflowInput): UploadSteps<Sealed> {
  const { accountId } = input.account;
  const options = { ...DEFAULT_UPLOAD_OPTIONS, ...input.options };
  const onSource = (source: UploadWorkflowInput['source']): string =>
    sourceQueue(input.queuePrefix, accountId, source);
  const control = (more: ActivityOptions): ReturnType<typeof activities> =>
    activities({
      taskQueue: controlQueue(input.queuePrefix, accountId),
      heartbeatTimeout: options.heartbeatMs,
      retry: PATIENT,
      ...more,
    });

  const once = control({ startToCloseTimeout: 3 * MINUTE_MS, retry: { maximumAttempts: 1 } });
  const calls = control({ startToCloseTimeout: 3 * MINUTE_MS, scheduleToCloseTimeout: DAY_MS });
  const completing = control({
    startToCloseTimeout: 5 * MINUTE_MS,
    scheduleToCloseTimeout: DAY_MS,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  });
  const waiting = control({
    startToCloseTimeout: 2 * MINUTE_MS,
    scheduleToCloseTimeout: options.processingLimitMs + DAY_MS,
  });

  return {
    pinSource: (step) =>
      activities({
        taskQueue: onSource(step.source),
        startToCloseTimeout: DAY_MS,
        scheduleToCloseTimeout: DAY_MS,
        heartbeatTimeout: options.heartbeatMs,
        cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
        retry: PATIENT,
      }).pinSource({ accountId, ...step }),
    // A session whose id is on its way cannot be given up: cancelled here, it would stay in the service without a name.
    startSession: (step) => CancellationScope.nonCancellable(() => once.startSession({ accountId, ...step })),
    awaitUploadHost: (step) => calls.awaitUploadHost({ accountId, ...step }),
    findOrphans: (step) => calls.findOrphans({ accountId, ...step }),
    putPart: (step) =>
      activities({
        taskQueue: onSource(step.source.source),
        ...partTimes(step, options.heartbeatMs),
        priority: { priorityKey: partPriority(step) },
      }).putPart({ accountId, ...step }),
    completeSession: (step) => completing.completeSession({ accountId, ...step }),
    pollSession: (step) => waiting.pollSession({ accountId, pollDelayMs: options.pollDelayMs, ...step }),
    readSession: (step) => calls.readSession({ accountId, ...step }),
    releaseSource: async ({ source }) => {
      if (source.kind !== 'path' || source.deleteAfter !== true) return;
      const releasing = activities({
        taskQueue: onSource(source),
        scheduleToCloseTimeout: 2 * MINUTE_MS,
        retry: PATIENT,
      });
      await CancellationScope.nonCancellable(() => releasing.releaseSource({ accountId, source }));
    },
  };
}

function activities(options: ActivityOptions): ReturnType<typeof proxyActivities<UploadActivities>> {
  return proxyActivities<UploadActivities>(options);
}

/** Smaller is sooner. A file of one part does not wait behind all parts of large files; between batches the fairness key of the upload decides. */
function partPriority({ bytes, source }: PartInput<Sealed>): number {
  return bytes === source.bytes ? SMALL_FILE_PRIORITY : LARGE_FILE_PRIORITY;
}

/** A lost worker counts as a failed try, so tries are bounded by time and not by number. */
function partTimes(
  { bytes, minimumThroughput, bandwidth }: PartInput<Sealed>,
  heartbeatTimeout: number,
): ActivityOptions {
  const slowest = Math.min(minimumThroughput, (bandwidth?.bytesPerSecond ?? Infinity) / MOST_SHARES);
  const sendingMs = slowest === 0 ? DAY_MS : Math.ceil(bytes / slowest) * SECOND_MS;
  return {
    startToCloseTimeout: Math.min(DAY_MS, sendingMs + PART_EXTRA_MS),
    scheduleToCloseTimeout: DAY_MS,
    heartbeatTimeout,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { ...PATIENT, maximumInterval: 30 * SECOND_MS },
  };
}
