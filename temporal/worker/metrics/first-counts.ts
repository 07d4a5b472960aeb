import { ERROR_CODES } from '../../failure';
import type { MetricsRegistry } from './registry';

/**
 * Starts the counters that alerts use at 0. If a counter appeared with its first count, an alert would see no
 * increase.
 */
export function countReloadsFromZero(metrics: MetricsRegistry): void {
  for (const outcome of ['applied', 'refused']) metrics.add('accountReloads', { outcome }, 0);
}

/** As `countReloadsFromZero`, for a newly served account. */
export function countUploadsFromZero(metrics: MetricsRegistry, account: string): void {
  metrics.add('uploadsEnded', { account, outcome: 'completed', code: 'none' }, 0);
  for (const code of ERROR_CODES) {
    const outcome = code === 'Cancelled' ? 'cancelled' : 'failed';
    metrics.add('uploadsEnded', { account, outcome, code }, 0);
  }
}
