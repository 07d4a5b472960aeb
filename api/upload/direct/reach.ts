import type { Clock } from '../../clock';
import { hasCode, MediaServiceError } from '../../errors';
import type { DirectHooks } from './direct-steps';
import type { Service } from '../../service/service';
import { withRetries } from '../../retry';
import { pollSession } from '../session/poll-session';
import type { UploadSession } from '../session/session';

/** One side of an upload: the service, its storage, or the source of the file. */
interface Reach {
  /** Runs a step and notes whether it reached the other side. */
  note<T>(step: () => Promise<T>): Promise<T>;
  /**
   * Returns the error that ends the upload if this side was never reached in time. Undefined: keep retrying within the
   * usual limit.
   */
  readonly giveUp: (error: MediaServiceError) => MediaServiceError | undefined;
}

interface ReachRules extends Pick<DirectHooks, 'reachWithinMs'> {
  readonly clock: Clock;
  /** What to do about a side that was never reached. */
  readonly hint: string;
}

/**
 * Only a side that has answered once gets the full time for retries. If one never answered (connection refused, unknown
 * host), its address is probably wrong. Then failures end the upload after `reachWithinMs`.
 */
export function createReach({ clock, reachWithinMs, hint }: ReachRules): Reach {
  let reached = false;
  let failedAt: number | undefined;
  return {
    async note(step) {
      try {
        const result = await step();
        reached = true;
        return result;
      } catch (error) {
        if (isUnsent(error)) failedAt ??= clock.now();
        else if (error instanceof MediaServiceError) reached ||= error.facts.status !== undefined;
        throw error;
      }
    },
    giveUp(error) {
      if (reached || failedAt === undefined || !isUnsent(error)) return undefined;
      const forMs = clock.now() - failedAt;
      if (reachWithinMs === undefined || forMs < reachWithinMs) return undefined;
      const message = `${error.message}; it was tried for ${Math.round(forMs / 1000)} s`;
      return new MediaServiceError(error.code, message, { ...error.facts, hint }, { cause: error });
    },
  };
}

function isUnsent(error: unknown): error is MediaServiceError {
  return hasCode(error, 'Transport') && error.outcome === 'unsent';
}

/** How long a step may keep failing, ms. Polling may fail as long as processing may take, if that is longer. */
export const POLL_RETRY_FOR_MS = 15 * 60_000;
const POLL_DELAY_MS = 1_000;
const LONGEST_POLL_DELAY_MS = 60_000;
const POLL_GROWTH = 1.5;

/**
 * Polls in this process until the session is COMPLETED or FAILED, with growing pauses. Rejects as `pollSession` does,
 * and with the signal's reason.
 */
export async function pollToTheEnd(
  service: Service,
  input: { readonly uploadId: string; readonly completedAt: number; readonly limitMs: number },
  hooks: DirectHooks = {},
): Promise<UploadSession> {
  const { signal } = hooks;
  const left = input.completedAt + input.limitMs - service.clock.now();
  const retryForMs = hooks.retryForMs ?? Math.max(POLL_RETRY_FOR_MS, left);
  let delayMs = hooks.pollDelayMs ?? POLL_DELAY_MS;
  for (;;) {
    const outcome = await withRetries({ clock: service.clock, signal, retryForMs }, () =>
      pollSession(service, input, signal),
    );
    const status = outcome.done ? outcome.session.status : outcome.status;
    if (status !== undefined) hooks.onSessionStatus?.(status);
    if (outcome.done) return outcome.session;
    await service.clock.sleep(delayMs, signal);
    delayMs = Math.min(LONGEST_POLL_DELAY_MS, delayMs * POLL_GROWTH);
  }
}
