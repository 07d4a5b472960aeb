import { ERROR_CODES } from '../../failure';
import type { MetricsRegistry } from './registry';

/** Counters that alerts watch stand at 0 from the start: one that appears with its first count looks as if nothing had happened. */
export function countReloadsFromZero(metrics: MetricsRegistry): void {
  for (const outcome of ['applied', 'refused']) metrics.add('accountReloads', { outcome }, 0);
}

/** As `countReloadsFromZero`, for an account that is served from now on. */
export function countUploadsFromZero(metrics: MetricsRegistry, account: string): void {
  metrics.add('uploadsEnded', { account, outcome: 'completed', code: 'none' }, 0);
  for (const code of ERROR_CODES) {
    const outcome = code === 'Cancelled' ? 'cancelled' : 'failed';
    metrics.add('uploadsEnded', { account, outcome, code }, 0);
  }
}
