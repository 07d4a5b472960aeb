import type { WorkflowExecutionDescription } from '@temporalio/client';
import type { ErrorCode } from '../../api/errors';
import { systemClock } from '../../api/system-clock';
import type { StepFailure } from '../../api/upload/upload-steps';
import { stepFailureOf } from '../failure';
import type { TemporalConnection } from './connect';
import type { WorkQueue } from './living-workers';
import { payloadReader, type PayloadReader } from './payload-reader';
import { createUnservedLook, noWorker, type UnservedQueue } from './unserved-queues';
import { waitingQueues } from './waiting-queues';

/** Why a workflow does not go on for now: its step failed last and is tried again, or no worker is there (`NoWorker`). */
export interface HeldUp {
  readonly code: ErrorCode;
  readonly message: string;
  /** What to do. */
  readonly hint?: string;
}

/** As Temporal's protocol has it; the enum itself stands in a package that is not ours to install. */
const BENIGN = 1;

type Described = Pick<WorkflowExecutionDescription, 'raw' | 'taskQueue'>;
type Failure = NonNullable<NonNullable<Described['raw']['pendingActivities']>[number]['lastFailure']>;

/** What a look at workflows needs of the server. */
export interface Look {
  readonly read: PayloadReader;
  readonly unserved: (queue: WorkQueue) => Promise<UnservedQueue | undefined>;
}

const looks = new WeakMap<TemporalConnection, Look>();

/** One for all that is looked at over a connection: what it has learnt of a queue holds for some seconds, however many uploads wait for it. */
export function lookOver(connection: TemporalConnection): Look {
  const look = looks.get(connection) ?? {
    read: payloadReader(connection),
    unserved: createUnservedLook(connection),
  };
  looks.set(connection, look);
  return look;
}

/**
 * Why a workflow waits: no worker serves the queue of a task that is due, or the last try of a running step failed. Undefined if neither is so, or if a step was only
 * asked too early.
 */
export async function heldUpBy(
  description: Described,
  { read, unserved }: Look,
): Promise<HeldUp | undefined> {
  const control = description.taskQueue;
  for (const queue of waitingQueues(description, systemClock.now())) {
    // A reason that can't be seen is none: the step goes on as soon as a worker is there.
    const alone = await unserved({ control, queue }).catch(() => undefined);
    if (alone !== undefined) return heldUpOf(noWorker(alone));
  }
  for (const { lastFailure } of description.raw.pendingActivities ?? []) {
    const isBenign = Number(lastFailure?.applicationFailureInfo?.category) === BENIGN;
    if (lastFailure == null || isBenign) continue;
    return heldUpOf(await failureOf(lastFailure, read));
  }
  return undefined;
}

/** An error as the reason for waiting. */
export function heldUpOf({ code, message, facts }: StepFailure): HeldUp {
  return { code, message, ...(facts.hint === undefined ? {} : { hint: facts.hint }) };
}

async function failureOf(
  { message, applicationFailureInfo, timeoutFailureInfo }: Failure,
  read: PayloadReader,
): Promise<StepFailure> {
  const type = applicationFailureInfo?.type;
  // Without the key that they were encrypted with, the message alone has to do.
  const details = await read(applicationFailureInfo?.details?.payloads ?? []).catch(() => []);
  const name = timeoutFailureInfo == null ? 'ApplicationFailure' : 'TimeoutFailure';
  return stepFailureOf(Object.assign(new Error(message ?? 'An unknown failure'), { name, type, details }));
}
