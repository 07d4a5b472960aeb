import { ActivityCancellationType, CancellationScope, proxyActivities, sleep } from '@temporalio/workflow';
import type { ActivityOptions } from '@temporalio/workflow';
import { PART_GROUP_BYTES } from '../../../api/upload/parts/part-groups';
import { DEFAULT_UPLOAD_OPTIONS } from '../../../api/upload/request/upload-request';
import type { UploadOptions } from '../../../api/upload/request/upload-request';
import type { PartInput } from '../../../api/upload/upload-steps';
import type { Group, GroupedInput, GroupResult } from '../../contract/groups';
import { sharing } from '../../contract/groups';
import type { UploadGroupActivities, UploadGroupKind, UploadGroups } from '../../contract/upload-groups';
import { isUploadGroup } from '../../contract/upload-groups';
import { STEP_RETRY_MS } from '../../contract/upload';
import type { Sealed } from '../../contract/upload';
import { failedEnd } from './failed-end';
import { Gatherer } from './gatherer';
import type { Departure, GathererDriver, GroupLimits, RunningGroup } from './gatherer';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** How long a step with a temporary error is retried. */
export const DAY_MS = 24 * 60 * MINUTE_MS;
/** Extra time of a part besides sending its bytes: for a slot, a permit, a URL and storage's answer. */
const PART_EXTRA_MS = 2 * MINUTE_MS;
/** Number of workers that can share a batch's bandwidth without a timeout of their parts. */
const MAX_SHARES = 64;

/** Temporal's priorities are 1 to 5, with 3 as default. */
const SMALL_FILE_PRIORITY = 2;
/** Lower, so that a single upload does not wait behind a batch. */
const PAGE_FILE_PRIORITY = 3;
const LARGE_FILE_PRIORITY = 4;

/** Limit for inputs and results. Temporal warns from 512 KB on. */
const MAX_PAYLOAD_BYTES = 400_000;

/** How long a group that makes no progress may delay other rows of a page. */
const PAGE_HOLD_MS = MINUTE_MS;

const BACKOFF_MS = MINUTE_MS;
const PART_BACKOFF_MS = 30 * SECOND_MS;

export interface LaneSettings {
  readonly accountId: string;
  readonly options: UploadOptions;
  /** The workflow uploads many small files at once. Default: one file. */
  readonly ofPage?: boolean;
  /** False: no group of parts may leave now. */
  readonly maySendParts: () => boolean;
  /** Called when running groups, or reasons for waiting, may have changed. */
  readonly onChange: () => void;
}

/** The gatherer of a workflow. Its groups are activities, and its waits are timers. */
export function uploadGatherer(settings: LaneSettings): Gatherer<UploadGroups> {
  const options = { ...DEFAULT_UPLOAD_OPTIONS, ...settings.options };
  const limits = settings.ofPage === true ? pageLimitsOf(options) : limitsOf(options);
  let groups = 0;
  const driver: GathererDriver = {
    now: () => Date.now(),
    limitsOf: (kind) => limits[knownKind(kind)],
    mayLeave: (kind) => kind !== 'sendParts' || settings.maySendParts(),
    onChange: () => settings.onChange(),
    send: (departure) => {
      groups += 1;
      return send(departure, { ...settings, ...(settings.ofPage === true ? { number: groups } : {}) });
    },
    startTimer(ms) {
      const { end, cancel } = shielded(() => sleep(ms));
      const over = new Promise<void>((resolve) => void end.then(resolve, () => undefined));
      return { over, cancel };
    },
  };
  return new Gatherer<UploadGroups>(driver);
}

function limitsOf({
  concurrency,
  processingLimitMs,
}: Pick<Required<UploadOptions>, 'concurrency' | 'processingLimitMs'>): Record<UploadGroupKind, GroupLimits> {
  const common = { maxBytes: MAX_PAYLOAD_BYTES, retryForMs: STEP_RETRY_MS, maxBackoffMs: BACKOFF_MS };
  return {
    pinSources: { ...common, maxGroups: 4, maxInputs: 32 },
    // Few at once, because every session that a lost worker leaves without an outcome must be searched for.
    startSessions: { ...common, maxGroups: 4, maxInputs: 16 },
    awaitUploadHosts: { ...common, maxGroups: 1, maxInputs: 500 },
    findOrphans: { ...common, maxGroups: 2, maxInputs: 16 },
    sendParts: {
      ...{ maxGroups: concurrency, maxInputs: 64, maxBytes: PART_GROUP_BYTES, concurrency },
      ...{ retryForMs: STEP_RETRY_MS, maxBackoffMs: PART_BACKOFF_MS },
    },
    completeSessions: { ...common, maxGroups: 4, maxInputs: 32 },
    pollSessions: { ...common, maxGroups: 2, maxInputs: 64, retryForMs: processingLimitMs + STEP_RETRY_MS },
    readSessions: { ...common, maxGroups: 2, maxInputs: 32 },
    releaseSources: { ...common, maxGroups: 2, maxInputs: 64, retryForMs: 2 * MINUTE_MS },
  };
}

/** Few groups, so that they are large. More groups only if each is full. */
function pageLimitsOf(options: Parameters<typeof limitsOf>[0]): Record<UploadGroupKind, GroupLimits> {
  const limits = limitsOf(options);
  const { concurrency: _ofOneFile, ...parts } = limits.sendParts;
  const many = { maxGroups: 2, maxInputs: 64, maxFullGroups: 16 };
  return {
    ...limits,
    pinSources: { ...limits.pinSources, ...many },
    startSessions: { ...limits.startSessions, ...many, maxInputs: 32 },
    sendParts: { ...parts, ...many },
    completeSessions: { ...limits.completeSessions, ...many },
    // A group in which nothing ends keeps running for `PAGE_HOLD_MS`.
    pollSessions: { ...limits.pollSessions, ...many, maxGroups: 8 },
    readSessions: { ...limits.readSessions, ...many },
    releaseSources: { ...limits.releaseSources, ...many },
  };
}

function knownKind(kind: string): UploadGroupKind {
  if (isUploadGroup(kind)) return kind;
  throw new Error(`There is no group ${kind}.`);
}

function send(
  departure: Departure,
  { accountId, options, ofPage = false, number }: LaneSettings & { readonly number?: number },
): RunningGroup {
  const { queue, inputs, concurrency } = departure;
  const kind = knownKind(departure.kind);
  const group: Group<unknown> = {
    accountId,
    ...sharing(inputs),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(number === undefined ? {} : { number, holdMs: PAGE_HOLD_MS }),
  };
  const { end, cancel } = shielded(() =>
    activityOf(kind, {
      taskQueue: queue,
      heartbeatTimeout: options.heartbeatMs ?? DEFAULT_UPLOAD_OPTIONS.heartbeatMs,
      ...timesOf(kind, {
        inputs,
        ofPage,
        scheduleToCloseTimeout: Math.max(1, departure.deadline - Date.now()),
      }),
    })(group),
  );
  return {
    ...(number === undefined ? {} : { number }),
    cancel,
    end: end.then(
      (outcomes) => ({ outcomes }),
      (error: unknown) => failedEnd(kind, inputs.length, error),
    ),
  };
}

/** The kind decides the types of inputs, but here only whole groups matter. */
function activityOf(
  kind: UploadGroupKind,
  options: ActivityOptions,
): (group: Group<unknown>) => Promise<GroupResult> {
  const activities =
    proxyActivities<Record<keyof UploadGroupActivities, (group: Group<unknown>) => Promise<GroupResult>>>(
      options,
    );
  return activities[kind];
}

/** Runs outside of the caller's scope, so that its cancellation does not affect other calls. */
function shielded<T>(run: () => Promise<T>): { readonly end: Promise<T>; readonly cancel: () => void } {
  let scope: CancellationScope | undefined;
  const end = CancellationScope.nonCancellable(() => {
    scope = new CancellationScope();
    return scope.run(run);
  });
  return { end, cancel: () => scope?.cancel() };
}

const RETRY = { initialInterval: SECOND_MS, backoffCoefficient: 2, maximumInterval: BACKOFF_MS };
const UNTIL_ENDED = { cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED } as const;

/** A lost worker counts as a failed try, so tries are limited by time, not by number. */
function timesOf(
  kind: UploadGroupKind,
  {
    inputs,
    ofPage,
    scheduleToCloseTimeout,
  }: {
    readonly inputs: readonly GroupedInput<unknown>[];
    readonly ofPage: boolean;
    readonly scheduleToCloseTimeout: number;
  },
): ActivityOptions {
  const smallFilePriority = ofPage ? PAGE_FILE_PRIORITY : SMALL_FILE_PRIORITY;
  switch (kind) {
    case 'startSessions':
      // Sent only once. Other steps find out what a `start` without an answer did.
      return { startToCloseTimeout: 4 * MINUTE_MS, retry: { maximumAttempts: 1 } };
    case 'pinSources':
      // Shares its queue with parts, and must not wait behind those of a large file.
      return {
        startToCloseTimeout: DAY_MS,
        scheduleToCloseTimeout,
        retry: RETRY,
        priority: { priorityKey: smallFilePriority },
        ...UNTIL_ENDED,
      };
    case 'completeSessions':
      return { startToCloseTimeout: 6 * MINUTE_MS, scheduleToCloseTimeout, retry: RETRY, ...UNTIL_ENDED };
    case 'sendParts':
      return {
        ...partTimes(
          inputs.map(({ input }) => input as PartInput<Sealed>),
          smallFilePriority,
        ),
        scheduleToCloseTimeout,
        retry: { ...RETRY, maximumInterval: PART_BACKOFF_MS },
        ...UNTIL_ENDED,
      };
    default:
      return { startToCloseTimeout: 4 * MINUTE_MS, scheduleToCloseTimeout, retry: RETRY };
  }
}

/**
 * Allows time as if the parts were sent one after the other at their minimum speed. Smaller files have a higher
 * priority, so that a file of a single part does not wait behind all parts of large files. Between batches, the
 * fairness key of the upload decides.
 */
function partTimes(
  parts: readonly PartInput<Sealed>[],
  smallFilePriority: number,
): Pick<ActivityOptions, 'startToCloseTimeout' | 'priority'> {
  const neededMs = parts.reduce((sum, { bytes, minimumThroughput, bandwidth }) => {
    const slowest = Math.min(minimumThroughput, (bandwidth?.bytesPerSecond ?? Infinity) / MAX_SHARES);
    return sum + PART_EXTRA_MS + (slowest === 0 ? DAY_MS : Math.ceil(bytes / slowest) * SECOND_MS);
  }, 0);
  const isSmall = parts.every(({ bytes, source }) => bytes === source.bytes);
  return {
    startToCloseTimeout: Math.min(DAY_MS, neededMs),
    priority: { priorityKey: isSmall ? smallFilePriority : LARGE_FILE_PRIORITY },
  };
}
