import { Context } from '@temporalio/activity';
import type { Info } from '@temporalio/activity';
import { applicationFailureOf } from '../../application-failure';

/** Heartbeats per timeout. The first one comes late, so that short activities need none. */
const HEARTBEATS_PER_TIMEOUT = 4;

/**
 * Runs one step as an activity. `signal` aborts on cancellation, and errors become failures that Temporal can carry.
 */
export async function inActivity<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { cancellationSignal } = Context.current();
  try {
    return await run(cancellationSignal);
  } catch (error) {
    throw cancellationSignal.aborted ? cancellationSignal.reason : applicationFailureOf(error);
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

const DEFAULT_HEARTBEAT_MS = 20_000;
