import type { DirectHooks } from './direct-steps';
import type { Service } from '../../service/service';
import { withRetries } from '../../retry';
import { pollSession } from '../session/poll-session';
import type { UploadSession } from '../session/session';

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
