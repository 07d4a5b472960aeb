import { given } from '../../api/json';
import type { WorkflowExecutionDescription } from '@temporalio/client';
import type { ErrorCode } from '../../api/errors';
import { systemClock } from '../../api/clock';
import type { StepFailure } from '../../api/upload/types';
import { stepFailureOf } from '../failure';
import type { TemporalConnection } from './connect';
import { noWorker, unserved } from './unserved-queues';

/**
 * Why a workflow does not continue now: the last try of its step failed and is retried, or there is no worker
 * (`NoWorker`).
 */
export interface WaitReason {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string;
  /** How long it is retried, ms. Unset: as long as any step. */
  readonly retryForMs?: number;
}

/**
 * PENDING_ACTIVITY_STATE_… and PENDING_WORKFLOW_TASK_STATE_SCHEDULED. These enums and the next one are in a package
 * that we can't install.
 */
const SCHEDULED = 1;
const STARTED = 2;
/** The category of a failure. */
const BENIGN = 1;

type Described = Pick<WorkflowExecutionDescription, 'raw' | 'taskQueue'>;
export type PendingActivity = NonNullable<Described['raw']['pendingActivities']>[number];
type Failure = NonNullable<PendingActivity['lastFailure']>;

/**
 * Why a workflow waits: no worker serves the queue of a due task, or the last try of a running step failed. Undefined
 * if neither is true, or if the step was only tried too early.
 */
export async function findWaitReason(
  connection: TemporalConnection,
  description: Described,
): Promise<WaitReason | undefined> {
  for (const queue of waitingQueues(description, systemClock.now())) {
    // If the check fails, it gives no reason. The step continues as soon as a worker is there.
    const alone = await unserved(connection, queue).catch(() => undefined);
    if (alone !== undefined) return waitReasonOf(noWorker(alone));
  }
  for (const { lastFailure } of description.raw.pendingActivities ?? []) {
    const isBenign = Number(lastFailure?.applicationFailureInfo?.category) === BENIGN;
    if (lastFailure == null || isBenign) continue;
    return waitReasonOf(await failureOf(lastFailure, payloadReader(connection)));
  }
  return undefined;
}

/**
 * The queues with due tasks of a workflow that no worker has taken. Leaves out queues from which a worker has taken
 * another task of the workflow. A server before 1.28 does not report the queues of activities, so the result can only
 * contain the workflow's own queue. `now`: epoch ms.
 */
function waitingQueues({ raw, taskQueue }: Described, now: number): string[] {
  const steps = raw.pendingActivities ?? [];
  const taken = new Set(steps.filter(({ state }) => Number(state) === STARTED).map(queueOf));
  const due = steps.filter((step) => Number(step.state) === SCHEDULED && isDue(step, now)).map(queueOf);
  const isOwnDue = Number(raw.pendingWorkflowTask?.state) === SCHEDULED;
  const waiting = new Set([...due.filter((queue) => queue !== ''), ...(isOwnDue ? [taskQueue] : [])]);
  return [...waiting].filter((queue) => !taken.has(queue));
}

function queueOf({ activityOptions }: PendingActivity): string {
  return activityOptions?.taskQueue?.name ?? '';
}

/** A retried step is due only at its scheduled time. */
function isDue({ nextAttemptScheduleTime }: PendingActivity, now: number): boolean {
  return nextAttemptScheduleTime == null || Number(nextAttemptScheduleTime.seconds) * 1000 <= now;
}

/** Converts an error to a reason for waiting. */
export function waitReasonOf({ code, message, facts }: StepFailure): WaitReason {
  const retryForMs = facts.details?.['retryForMs'];
  return {
    code,
    message,
    ...given({ hint: facts.hint }),
    ...(typeof retryForMs === 'number' ? { retryForMs } : {}),
  };
}

async function failureOf(
  { message, applicationFailureInfo, timeoutFailureInfo }: Failure,
  read: PayloadReader,
): Promise<StepFailure> {
  const type = applicationFailureInfo?.type;
  // Without the key that encrypted the details, only the message is available.
  const details = await read(applicationFailureInfo?.details?.payloads ?? []).catch(() => []);
  const name = timeoutFailureInfo == null ? 'ApplicationFailure' : 'TimeoutFailure';
  return stepFailureOf(Object.assign(new Error(message ?? 'An unknown failure'), { name, type, details }));
}

type Codec = TemporalConnection['client']['options']['loadedDataConverter']['payloadCodecs'][number];
type Payload = Parameters<Codec['decode']>[0][number];

/** The values of payloads, in their order. Rejects if a codec key is missing. */
export type PayloadReader = (payloads: Payload[]) => Promise<unknown[]>;

/**
 * Decodes payloads that the SDK returns undecoded (inputs and details of failures) with the codecs of this connection.
 */
export function payloadReader({ client }: Pick<TemporalConnection, 'client'>): PayloadReader {
  const { payloadCodecs, payloadConverter } = client.options.loadedDataConverter;
  return async (payloads) => {
    let decoded = payloads;
    for (const codec of [...payloadCodecs].reverse()) decoded = await codec.decode(decoded);
    return decoded.map((payload) => payloadConverter.fromPayload<unknown>(payload));
  };
}
