import type { MetricCounter, MetricGauge, MetricHistogram, MetricMeter } from '@temporalio/common';
import { METRICS } from './contract/metrics';

type Table = typeof METRICS;
type NameOf<Type extends string> = {
  [Name in keyof Table]: Table[Name]['type'] extends Type ? Name : never;
}[keyof Table];
/** The labels of a metric; none may be missing. */
type LabelsOf<Name extends keyof Table> = Readonly<Record<Table[Name]['labels'][number], string>>;

/** Our metrics, by their keys in `METRICS`. */
export interface Metrics {
  /** `by`: a whole number, default 1. */
  add<Name extends NameOf<'counter'>>(name: Name, labels: LabelsOf<Name>, by?: number): void;
  set<Name extends NameOf<'gauge'>>(name: Name, labels: LabelsOf<Name>, value: number): void;
  observe<Name extends NameOf<'histogram'>>(name: Name, labels: LabelsOf<Name>, value: number): void;
}

/** Counts with the meter of a worker or of a workflow, which counts nothing on a replay. */
export function metricsOver(meter: MetricMeter): Metrics {
  const counters = new Map<keyof Table, MetricCounter>();
  const gauges = new Map<keyof Table, MetricGauge>();
  const histograms = new Map<keyof Table, MetricHistogram>();
  return {
    add(key, labels, by = 1) {
      const { name, help } = METRICS[key];
      // The exporter adds the suffix.
      const make = (): MetricCounter => meter.createCounter(name.replace(/_total$/, ''), '', help);
      madeOnce(counters, key, make).add(by, labels);
    },
    set(key, labels, value) {
      const { name, help } = METRICS[key];
      madeOnce(gauges, key, () => meter.createGauge(name, 'float', '', help)).set(value, labels);
    },
    observe(key, labels, value) {
      const { name, help } = METRICS[key];
      const make = (): MetricHistogram => meter.createHistogram(name, 'float', '', help);
      madeOnce(histograms, key, make).record(Math.max(0, value), labels);
    },
  };
}

function madeOnce<Key, Made>(all: Map<Key, Made>, key: Key, make: () => Made): Made {
  const made = all.get(key) ?? make();
  all.set(key, made);
  return made;
}
