import type { MetricCounter, MetricGauge, MetricHistogram, MetricMeter } from '@temporalio/common';

/**
 * Every metric of ours that a worker shows. Temporal's own metrics (`temporal_…`) are on the same page. Counters end in
 * `_total` and count whole numbers; units are seconds and bytes. Temporal's SDK never removes a series, so no label may
 * grow with files, rows or batches.
 */
export interface MetricDefinition {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds of a histogram. */
  readonly buckets?: readonly number[];
}

const SHORT_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60] as const;
const LONG_SECONDS = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800] as const;

/** `account` is the account id. */
export const METRICS = {
  workerInfo: {
    name: 'media_service_worker_info',
    type: 'gauge',
    help: 'Always 1; its labels name the version of the package and the deployment that this worker belongs to.',
    labels: ['version', 'deployment', 'build_id', 'host'],
  },
  workerReady: {
    name: 'media_service_worker_ready',
    type: 'gauge',
    help: '1 while every queue of every account is polled, as /readyz says, else 0.',
    labels: [],
  },
  workerDraining: {
    name: 'media_service_worker_draining',
    type: 'gauge',
    help: '1 from the stop signal on, while running parts have their grace period; otherwise 0.',
    labels: [],
  },
  parts: {
    name: 'media_service_parts_total',
    type: 'counter',
    help: 'Attempts to send a part, by outcome: sent, failed, requeued (worker stops, rate used up), cancelled.',
    labels: ['account', 'outcome'],
  },
  partRetries: {
    name: 'media_service_part_retries_total',
    type: 'counter',
    help: 'Failed attempts of parts that are retried, by the code of the error.',
    labels: ['account', 'code'],
  },
  partBytes: {
    name: 'media_service_part_bytes_total',
    type: 'counter',
    help: 'Bytes of parts that storage accepted.',
    labels: ['account'],
  },
  partDuration: {
    name: 'media_service_part_duration_seconds',
    type: 'histogram',
    help: 'Duration of the successful attempt to send a part.',
    labels: ['account'],
    buckets: LONG_SECONDS,
  },
  storageConcurrency: {
    name: 'media_service_storage_concurrency',
    type: 'gauge',
    help: 'Max parts at once to a storage origin: halved by its 429 and 503, raised by each round without them.',
    labels: ['origin'],
  },
  serviceCalls: {
    name: 'media_service_service_calls_total',
    type: 'counter',
    help: 'Requests to the Media Service by operation and HTTP status; `none`: no answer.',
    labels: ['account', 'operation', 'status'],
  },
  serviceCallDuration: {
    name: 'media_service_service_call_duration_seconds',
    type: 'histogram',
    help: 'How long the service took until its answer began.',
    labels: ['account', 'operation'],
    buckets: SHORT_SECONDS,
  },
  activityFailures: {
    name: 'media_service_activity_failures_total',
    type: 'counter',
    help: 'Failed attempts, by step of an upload or other activity, and the code of the error.',
    labels: ['account', 'activity', 'code'],
  },
  sessionPolls: {
    name: 'media_service_session_polls_total',
    type: 'counter',
    help: 'Rounds of waiting for COMPLETED by outcome: completed, failed, still_processing.',
    labels: ['account', 'outcome'],
  },
  uploadsEnded: {
    name: 'media_service_uploads_ended_total',
    type: 'counter',
    help: 'Uploads that ended, by kind (single; row of a batch), outcome (completed, failed, cancelled) and code (`none`: completed).',
    labels: ['account', 'kind', 'outcome', 'code'],
  },
  batchesEnded: {
    name: 'media_service_batches_ended_total',
    type: 'counter',
    help: 'Runs of batches that ended, by outcome: completed, failed, cancelled.',
    labels: ['account', 'outcome'],
  },
  batchPauses: {
    name: 'media_service_batch_pauses_total',
    type: 'counter',
    help: 'How often a batch paused by itself, because rows failed.',
    labels: ['account'],
  },
  reportEnd: {
    name: 'media_service_report_last_end_timestamp_seconds',
    type: 'gauge',
    help: 'Unix time when a run of a schedule last ended with this outcome.',
    labels: ['account', 'schedule', 'outcome'],
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>;

/** Upper bounds of histograms, ours and those of Temporal that alerts use. */
export const HISTOGRAM_BUCKETS: Readonly<Record<string, number[]>> = {
  activity_schedule_to_start_latency: [...LONG_SECONDS],
  ...Object.fromEntries(
    Object.values(METRICS).flatMap((one: MetricDefinition) =>
      one.buckets === undefined ? [] : [[one.name, [...one.buckets]]],
    ),
  ),
};

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
