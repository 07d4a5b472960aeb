import { Context } from '@temporalio/activity';
import { ActivityCancelledError, ActivityNotFoundError } from '@temporalio/client';
import { isOpen } from '../../client/control-workflow';
import { describedWorkflow } from './described-workflow';

/** Counts are at most about this old, ms. */
const HEARTBEAT_MS = 2_500;
/** The first counts are seen soon, ms. */
const FIRST_HEARTBEAT_MS = 500;
/** After this share of the heartbeat timeout without an answer, Temporal may soon start the page elsewhere. */
const USABLE = 0.8;
/** How long running rows may continue after a pause, ms. */
const PAUSE_GRACE_MS = 30_000;
/** How often a page that ends looks whether the batch was cancelled, ms. */
const LOOK_MS = 1_000;
/** When a pause that this page asked for may have arrived, ms. */
const SOON_MS = [200, 1_000];

/** What a page's activity knows about Temporal. */
export interface PageContact {
  /** Aborts when nothing may begin any more: pause, cancellation, shutdown, or no contact. */
  readonly stopping: AbortSignal;
  /** Aborts when running rows must end. */
  readonly ending: AbortSignal;
  /** Whether another attempt may upload the page by now. Then this one must not write results. */
  isLost(): boolean;
  /** The worker stops: nothing more begins. */
  drain(): void;
  /** The batch may be paused within a second, so this looks earlier than the next heartbeat. */
  lookSoon(): void;
  close(): void;
}

/**
 * Sends heartbeats that Temporal acknowledges. Once it has not answered for most of the heartbeat timeout, the page may
 * be started elsewhere. `graceMs`: how long running rows may continue when the worker stops.
 */
export function keepContact(details: () => unknown, graceMs: number): PageContact {
  const context = Context.current();
  const { info, client, cancellationSignal } = context;
  const timeoutMs = info.heartbeatTimeoutMs ?? 20_000;
  const [stopping, ending] = [new AbortController(), new AbortController()];
  const timers = new Set<NodeJS.Timeout>();
  let answeredAt = performance.now();
  let lost = false;
  let closed = false;
  /** Temporal has cancelled the activity. */
  let asked = false;

  const isLost = (): boolean => {
    lost ||= performance.now() - answeredAt > timeoutMs * USABLE;
    if (lost) end();
    return lost;
  };
  const end = (): void => {
    stopping.abort();
    ending.abort();
  };
  const later = (ms: number, run: () => void): void => {
    if (!closed) timers.add(setTimeout(run, ms));
  };
  const beat = async (): Promise<void> => {
    if (isLost()) return;
    const sentAt = performance.now();
    try {
      await client.activity.heartbeat(info.taskToken, details());
      answeredAt = sentAt;
      // For the SDK, which also ends activities without heartbeats.
      context.heartbeat(details());
    } catch (error) {
      if (error instanceof ActivityCancelledError) {
        answeredAt = sentAt;
        await stop();
      } else if (error instanceof ActivityNotFoundError) {
        lost = true;
        end();
      }
      // Temporal did not answer. The next heartbeat follows soon.
    }
  };
  /** A pause lets running rows end, a cancellation of the page does not. */
  const stop = async (): Promise<void> => {
    if (asked) return;
    asked = true;
    stopping.abort();
    const { workerShutdown, notFound, timedOut } = context.cancellationDetails ?? {};
    lost ||= notFound === true || timedOut === true;
    if (lost) return end();
    // The SDK cancels only after the grace period.
    if (workerShutdown === true) return end();
    later(PAUSE_GRACE_MS, end);
    // Its rows show as paused.
    later(0, () => void beat());
    await look();
  };
  const look = async (): Promise<void> => {
    const page = await describedWorkflow(info.workflowExecution?.workflowId ?? '').catch(() => null);
    const isPaused = page === null || (page !== undefined && isOpen(page) && !isCancelled(page.raw));
    if (isPaused) later(LOOK_MS, () => void look());
    else end();
  };

  const interval = setInterval(() => void beat(), Math.min(HEARTBEAT_MS, timeoutMs / 4));
  later(FIRST_HEARTBEAT_MS, () => void beat());
  const onCancel = (): void => void stop();
  cancellationSignal.addEventListener('abort', onCancel, { once: true });
  if (cancellationSignal.aborted) onCancel();
  return {
    stopping: stopping.signal,
    ending: ending.signal,
    isLost,
    drain() {
      if (stopping.signal.aborted) return;
      stopping.abort();
      later(graceMs, end);
    },
    lookSoon: () => SOON_MS.forEach((ms) => later(ms, () => void beat())),
    close() {
      closed = true;
      clearInterval(interval);
      for (const timer of timers) clearTimeout(timer);
      cancellationSignal.removeEventListener('abort', onCancel);
    },
  };
}

function isCancelled({
  workflowExtendedInfo,
}: {
  readonly workflowExtendedInfo?: { readonly cancelRequested?: boolean | null } | null;
}): boolean {
  return workflowExtendedInfo?.cancelRequested === true;
}
