import { fullJitterMs } from './backoff';
import { MediaServiceError } from '../errors';

/** How long to wait after try `attempt` (from 1) failed with this error, ms: what the server asked for, plus jitter. */
export function retryDelayMs(error: unknown, attempt: number): number {
  const asked = error instanceof MediaServiceError ? (error.facts.retryAfterMs ?? 0) : 0;
  return asked + fullJitterMs(attempt);
}

/** The longest wait that is slept out in passing, ms. */
const SHORT_WAIT_MS = 5_000;

/** Whether the server asked for a wait so long that it has to be its caller's decision. */
export function asksForLongWait(error: unknown): boolean {
  return error instanceof MediaServiceError && (error.facts.retryAfterMs ?? 0) > SHORT_WAIT_MS;
}
