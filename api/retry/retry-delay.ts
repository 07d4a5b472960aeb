import { fullJitterMs } from './backoff';
import { MediaServiceError } from '../errors';

/** How long to wait after try `attempt` (from 1) failed with this error, ms: what the server asked for, plus jitter. */
export function retryDelayMs(error: unknown, attempt: number): number {
  const asked = error instanceof MediaServiceError ? (error.facts.retryAfterMs ?? 0) : 0;
  return asked + fullJitterMs(attempt);
}
