import type { Clock } from '../api/clock';

/**
 * Time inside n8n, whose check of packages allows no timers. A pause does not keep a process alive by itself; n8n's own
 * connections do. Node removes the timer of a pause that ends early together with its signal.
 */
export const n8nClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const pause = AbortSignal.timeout(Math.ceil(ms));
      const onAbort = (): void => {
        pause.removeEventListener('abort', onTime);
        reject(signal?.reason);
      };
      const onTime = (): void => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      pause.addEventListener('abort', onTime, { once: true });
      signal?.addEventListener('abort', onAbort, { once: true });
    }),
};
