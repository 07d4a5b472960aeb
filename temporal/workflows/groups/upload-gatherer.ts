import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  proxyActivities,
  sleep,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { ActivityOptions } from '@temporalio/workflow';
import { PART_GROUP_BYTES } from '../../../api/upload/parts/part-plan';
import { DEFAULT_UPLOAD_OPTIONS } from '../../../api/upload/request/upload-request';
import type { UploadOptions } from '../../../api/upload/request/upload-request';
import type { Group, GroupResult, InputOutcome } from '../../contract/groups';
import { groupHeartbeatOf, sharing } from '../../contract/groups';
import type { UploadGroupActivities, UploadGroupKind, UploadGroups } from '../../contract/upload-groups';
import { isUploadGroup } from '../../contract/upload-groups';
import { STEP_RETRY_MS } from '../../contract/upload';
import { isErrorCode, stepFailureOf } from '../../failure';
import { Gatherer } from './gatherer';
import type { Departure, GathererDriver, GroupEnd, GroupLimits, RunningGroup } from './gatherer';
import { MINUTE_MS } from '../../../api/durations';
import { BACKOFF_MS, PART_BACKOFF_MS, timesOf } from './group-times';

/** Limit for inputs and results. Temporal warns from 512 KB on. */
const MAX_PAYLOAD_BYTES = 400_000;

interface GathererSettings {
  readonly accountId: string;
  readonly options: UploadOptions;
  /** False: no group of parts may leave now. */
  readonly maySendParts: () => boolean;
  /** Called when running groups, or reasons for waiting, may have changed. */
  readonly onChange: () => void;
}

/** The gatherer of a workflow. Its groups are activities, and its waits are timers. */
export function uploadGatherer(settings: GathererSettings): Gatherer<UploadGroups> {
  const options = { ...DEFAULT_UPLOAD_OPTIONS, ...settings.options };
  const limits = limitsOf(options);
  const driver: GathererDriver = {
    now: () => Date.now(),
    limitsOf: (kind) => limits[knownKind(kind)],
    mayLeave: (kind) => kind !== 'sendParts' || settings.maySendParts(),
    onChange: () => settings.onChange(),
    send: (departure) => send(departure, settings),
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

function knownKind(kind: string): UploadGroupKind {
  if (isUploadGroup(kind)) return kind;
  throw new Error(`There is no group ${kind}.`);
}

function send(departure: Departure, { accountId, options }: GathererSettings): RunningGroup {
  const { queue, inputs, concurrency } = departure;
  const kind = knownKind(departure.kind);
  const group: Group<unknown> = {
    accountId,
    ...sharing(inputs),
    ...(concurrency === undefined ? {} : { concurrency }),
  };
  const { end, cancel } = shielded(() =>
    activityOf(kind, {
      taskQueue: queue,
      heartbeatTimeout: options.heartbeatMs ?? DEFAULT_UPLOAD_OPTIONS.heartbeatMs,
      ...timesOf(kind, {
        inputs,
        scheduleToCloseTimeout: Math.max(1, departure.deadline - Date.now()),
      }),
    })(group),
  );
  return {
    cancel,
    end: end.then(
      (outcomes) => ({ outcomes }),
      (error: unknown) => failedEnd(kind, inputs.length, error),
    ),
  };
}

/**
 * The outcomes of a group whose activity failed. The last heartbeat's outcomes count, and the failure decides about
 * the other inputs. A `start` is never sent again, because its outcome is unknown.
 */
export function failedEnd(kind: UploadGroupKind, inputs: number, error: unknown): GroupEnd {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  const failure = stepFailureOf(error);
  const outcomes = keptOutcomes(cause, inputs);
  const isOurs = cause instanceof ApplicationFailure && isErrorCode(cause.type);
  if (kind === 'startSessions' || isCancellation(error) || isOurs) {
    return { outcomes, rest: { then: 'fail', failure } };
  }
  return { outcomes, rest: { then: cause instanceof TimeoutFailure ? 'again' : 'divide', failure } };
}

function keptOutcomes(cause: unknown, inputs: number): (InputOutcome | undefined)[] {
  const heartbeat =
    cause instanceof TimeoutFailure ? groupHeartbeatOf(cause.lastHeartbeatDetails) : undefined;
  const outcomes = new Map(heartbeat?.outcomes);
  return Array.from({ length: inputs }, (_, index) => outcomes.get(index));
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
