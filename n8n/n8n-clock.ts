import type { Clock } from '../api/clock';

/**
 * A pause inside n8n, whose check of packages allows no timers. It does not keep a process alive by itself; n8n's own
 * connections do. Node removes the timer of a pause that ends early together with its signal.
 */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const time = AbortSignal.timeout(Math.ceil(ms));
    const onAbort = (): void => {
      time.removeEventListener('abort', onTime);
      reject(signal?.reason);
    };
    const onTime = (): void => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    };
    time.addEventListener('abort', onTime, { once: true });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** Time inside n8n. */
export const n8nClock: Clock = { now: () => Date.now(), sleep: pause };
