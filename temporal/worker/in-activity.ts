import { Context } from '@temporalio/activity';
import type { Info } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { WorkflowExecutionDescription } from '@temporalio/client';
import { applicationFailureOf } from '../application-failure';
import { MINUTE_MS, SECOND_MS } from '../../api/clock';
import { ifKnown } from '../client/rpc-failure';

/** Heartbeats per timeout. The first one comes late, so that short activities need none. */
const HEARTBEATS_PER_TIMEOUT = 4;

/**
 * Runs one step as an activity. `signal` aborts on cancellation, and errors become failures that Temporal can carry.
 */
export async function inActivity<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { cancellationSignal, info } = Context.current();
  try {
    return await run(cancellationSignal);
  } catch (error) {
    throw cancellationSignal.aborted
      ? cancellationSignal.reason
      : applicationFailureOf(error, { tries: info.attempt });
  }
}

/**
 * The same for a step without progress of its own. Sends heartbeats as long as this process lives, so that Temporal
 * notices a lost worker early.
 */
export async function inHeartbeatingActivity<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(), heartbeatIntervalMs(context));
  try {
    return await inActivity(run);
  } finally {
    clearInterval(timer);
  }
}

/** A quarter of the heartbeat timeout, ms. */
export function heartbeatIntervalMs({ info }: { readonly info: Pick<Info, 'heartbeatTimeoutMs'> }): number {
  return Math.ceil((info.heartbeatTimeoutMs ?? DEFAULT_HEARTBEAT_MS) / HEARTBEATS_PER_TIMEOUT);
}

export const DEFAULT_HEARTBEAT_MS = 20_000;

/**
 * Runs a step that only waits, or that writes down finished work. Every error is retried, because finished work must
 * not be lost. Somebody can empty a full disk, mount a folder again or start a server.
 */
export function inRetryableActivity<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return inHeartbeatingActivity(async (signal) => {
    try {
      return await run(signal);
    } catch (error) {
      throw signal.aborted ? error : applicationFailureOf(error, { always: true });
    }
  });
}

/** How long a failed attempt waits for the next one: a second, and each time twice as long, up to a minute. */
export function retryDelayMs(attempt: number): number {
  return Math.min(MINUTE_MS, SECOND_MS * 2 ** (attempt - 1));
}

/** Workflows that an activity describes at once. */
export const DESCRIBED_AT_ONCE = 16;

const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 30_000;
const GROWTH = 1.5;

/** The latest run of a workflow, or undefined if Temporal does not know it (any more). */
export function describedWorkflow(workflowId: string): Promise<WorkflowExecutionDescription | undefined> {
  return ifKnown(Context.current().client.workflow.getHandle(workflowId).describe());
}

/**
 * Ends a try of an activity that waits for a workflow. This is not an error, adds no history, and causes a later try.
 */
export function stillRunning(what: string, attempt: number, delays?: Delays): ApplicationFailure {
  return ApplicationFailure.create({
    message: `${what} has not ended.`,
    type: 'StillRunning',
    category: ApplicationFailureCategory.BENIGN,
    nextRetryDelay: growingDelayMs(attempt, delays),
  });
}

/** Pauses between two tries, ms. */
interface Delays {
  readonly firstDelayMs?: number;
  readonly maxDelayMs?: number;
}

/** How long a try waits that follows many others: a second by default, and each time half as long again. */
export function growingDelayMs(
  attempt: number,
  { maxDelayMs = MAX_DELAY_MS, firstDelayMs = FIRST_DELAY_MS }: Delays = {},
): number {
  return Math.min(maxDelayMs, Math.ceil(firstDelayMs * GROWTH ** (attempt - 1)));
}
