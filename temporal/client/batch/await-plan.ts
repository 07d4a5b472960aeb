import type { Clock } from '../../../api/clock';
import { MediaServiceError } from '../../../api/errors';
import { heldUpOf, type HeldUp } from '../held-up-by';
import type { BatchHandle } from './batch-handle';

/** A plan that is refused, or stands, shows within seconds; one of a million rows may take longer and is not waited for. */
const PLAN_WITHIN_MS = 30_000;
/** A server that is only restarted is back by then. */
const HELD_UP_FOR_MS = 15_000;
const LOOK_EVERY_MS = 250;

export interface AwaitedPlan {
  /** Unset: planning takes longer than anybody waits. */
  readonly rows?: number;
  /** Why it was not to be had within some seconds: it is tried again, or waits for a worker (`NoWorker`). */
  readonly heldUpBy?: HeldUp;
}

/** Waits for a batch's plan, half a minute at most; rejects with what the plan was refused for, and with the signal's reason. */
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
    let heldUp: HeldUp | undefined;
    try {
      const { phase, counts, heldUpBy } = await handle.progress();
      if (phase !== 'planning') return { rows: counts.rows };
      heldUp = heldUpBy;
    } catch (error) {
      // Its end, if that is the reason, says more.
      if (!(error instanceof MediaServiceError)) throw error;
      if (error.code === 'NoWorker') heldUp = heldUpOf(error);
    }
    const waitedMs = clock.now() - since;
    if (heldUp !== undefined && waitedMs >= HELD_UP_FOR_MS) return { heldUpBy: heldUp };
    if (waitedMs >= PLAN_WITHIN_MS) return {};
    await clock.sleep(LOOK_EVERY_MS, signal);
  }
}
