import type { Clock } from '../../../api/clock';
import { MediaServiceError } from '../../../api/errors';
import { waitReasonOf } from '../../client/wait-reason';
import type { WaitReason } from '../../client/wait-reason';
import type { BatchHandle } from './open-batch';

/**
 * Within this time, most plans are refused or ready. A plan of a million rows may take longer, and the caller does not
 * wait for it.
 */
const PLAN_WITHIN_MS = 30_000;
/** A server that only restarts is back within this time. */
const WAITS_FOR_MS = 15_000;
const LOOK_EVERY_MS = 250;

export interface AwaitedPlan {
  /** Unset: planning takes longer than the wait. */
  readonly rows?: number;
  /** Why the plan was not ready within some seconds: it is retried, or waits for a worker (`NoWorker`). */
  readonly waitReason?: WaitReason;
}

/**
 * Waits half a minute at most for a batch's plan. Rejects with the error for which the plan was refused, and with the
 * signal's reason.
 */
export async function awaitPlan(
  handle: BatchHandle,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<AwaitedPlan> {
  const enough = new AbortController();
  const over = AbortSignal.any([enough.signal, signal]);
  const ended = handle.result(over).then(({ counts: { rows } }) => ({ rows }));
  const looked = look(handle, clock, over);
  try {
    return await Promise.race([ended, looked]);
  } finally {
    enough.abort();
    await Promise.allSettled([ended, looked]);
  }
}

async function look(handle: BatchHandle, clock: Clock, signal: AbortSignal): Promise<AwaitedPlan> {
  const since = clock.now();
  for (;;) {
    signal.throwIfAborted();
    let waitReason: WaitReason | undefined;
    try {
      const progress = await handle.progress();
      if (progress.phase !== 'planning') return { rows: progress.counts.rows };
      waitReason = progress.waitReason;
    } catch (error) {
      // If the batch has ended, its own error says more.
      if (!(error instanceof MediaServiceError)) throw error;
      if (error.code === 'NoWorker') waitReason = waitReasonOf(error);
    }
    const waitedMs = clock.now() - since;
    if (waitReason !== undefined && waitedMs >= WAITS_FOR_MS) return { waitReason };
    if (waitedMs >= PLAN_WITHIN_MS) return {};
    await clock.sleep(LOOK_EVERY_MS, signal);
  }
}
