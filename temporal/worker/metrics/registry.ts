import { METRICS } from './metric-names';
import type { MetricDefinition } from './metric-names';
import { ERROR_CODES } from '../../failure';

type Metrics = typeof METRICS;
type MetricName = keyof Metrics;
/** The labels of a metric; none may be missing. */
type LabelsOf<Name extends MetricName> = Readonly<Record<Metrics[Name]['labels'][number], string>>;

/** Counts values and serves them. Hides the library that it uses. */
export interface MetricsRegistry {
  /** Adds to a counter, or changes a gauge. Default 1. */
  add<Name extends MetricName>(name: Name, labels: LabelsOf<Name>, by?: number): void;
  /** Sets a gauge. */
  set<Name extends MetricName>(name: Name, labels: LabelsOf<Name>, value: number): void;
  /** Removes all values of a gauge. */
  reset(name: MetricName): void;
  observe<Name extends MetricName>(name: Name, labels: LabelsOf<Name>, value: number): void;
  /** In Prometheus' text format. */
  page(): Promise<{ readonly contentType: string; readonly text: string }>;
}

/** Uses prom-client, which is loaded here. Rejects if it is not installed. */
export async function createMetricsRegistry(): Promise<MetricsRegistry> {
  const { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } = await import('prom-client');
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const counters = new Map<MetricName, InstanceType<typeof Counter>>();
  const gauges = new Map<MetricName, InstanceType<typeof Gauge>>();
  const histograms = new Map<MetricName, InstanceType<typeof Histogram>>();
  for (const [name, definition] of entriesOf()) {
    const { name: shown, help, labels, buckets } = definition;
    const common = { name: shown, help, labelNames: [...labels], registers: [registry] };
    if (definition.type === 'counter') counters.set(name, new Counter(common));
    else if (definition.type === 'gauge') gauges.set(name, new Gauge(common));
    else histograms.set(name, new Histogram({ ...common, buckets: [...(buckets ?? [])] }));
  }
  return {
    add(name, labels, by = 1) {
      counters.get(name)?.inc(labels, by);
      gauges.get(name)?.inc(labels, by);
    },
    set: (name, labels, value) => gauges.get(name)?.set(labels, value),
    reset: (name) => gauges.get(name)?.reset(),
    observe: (name, labels, value) => histograms.get(name)?.observe(labels, value),
    page: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}

function entriesOf(): readonly (readonly [MetricName, MetricDefinition])[] {
  const names = Object.keys(METRICS).filter((name): name is MetricName => name in METRICS);
  return names.map((name) => [name, METRICS[name]]);
}

/** For workers without metrics. */
export const NO_METRICS: MetricsRegistry = {
  add: () => undefined,
  set: () => undefined,
  reset: () => undefined,
  observe: () => undefined,
  page: () => Promise.resolve({ contentType: 'text/plain', text: '' }),
};

/**
 * Starts the counters of an account that alerts use at 0. If a counter appeared with its first count, an alert would
 * see no increase.
 */
export function countUploadsFromZero(metrics: MetricsRegistry, account: string): void {
  metrics.add('uploadsEnded', { account, outcome: 'completed', code: 'none' }, 0);
  for (const code of ERROR_CODES) {
    const outcome = code === 'Cancelled' ? 'cancelled' : 'failed';
    metrics.add('uploadsEnded', { account, outcome, code }, 0);
  }
}
