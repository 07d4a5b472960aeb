import type { Metrics } from '../../metrics';

/** Values that change without an event. */
export interface WorkerState {
  notReady(): readonly string[];
  isDraining(): boolean;
  /** Bytes per second. Undefined: unknown. */
  partRate(): number | undefined;
  /** By storage origin. */
  storageConcurrencies(): ReadonlyMap<string, number>;
}

const EVERY_MS = 2_000;

interface Gauges {
  readonly show: () => void;
  readonly end: () => void;
}

/** Shows the worker's state at once and every two seconds. */
export function showGauges(metrics: Metrics, state: WorkerState): Gauges {
  const show = (): void => {
    metrics.set('workerReady', {}, state.notReady().length === 0 ? 1 : 0);
    metrics.set('workerDraining', {}, state.isDraining() ? 1 : 0);
    metrics.set('partRate', {}, state.partRate() ?? 0);
    for (const [origin, parts] of state.storageConcurrencies())
      metrics.set('storageConcurrency', { origin }, parts);
  };
  show();
  const timer = setInterval(show, EVERY_MS);
  return { show, end: () => clearInterval(timer) };
}
