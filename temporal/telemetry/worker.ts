import type { Info } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { MetricMeter } from '@temporalio/common';
import type { WorkerOptions } from '@temporalio/worker';
import type { CallObserver } from '../../api/service/send-call';
import { countedStep, taskFactsOf } from './activities';
import type { TaskFacts, WatchStep } from './activities';
import { traceparentIn } from './received-trace';
import type { WorkflowEnded } from './types';
import type { uploadActivities } from '../upload/activities';
import { metricsOver } from '../metrics';
import type { Metrics } from '../metrics';
import { createTracing, NO_TRACING } from './tracing';
import type { Tracing } from './tracing';
import { BATCH_WORKFLOW } from '../batch/types';
import { controlQueue, DEFAULT_QUEUE_PREFIX, UPLOAD_WORKFLOW } from '../upload/types';
import { ERROR_CODES } from '../failure';
import type { WorkerConfig } from '../worker/worker-config';

/** Metrics, traces and log fields of one worker process, and the hooks that collect them. */
export interface Telemetry {
  readonly metrics: Metrics;
  readonly observe: (accountId: string) => CallObserver;
  /** Counts and traces the steps of activities. */
  readonly watchStep: WatchStep;
  readonly interceptors: NonNullable<WorkerOptions['interceptors']>;
  readonly sinks: NonNullable<WorkerOptions['sinks']>;
  /** Sends the remaining spans. */
  close(): Promise<void>;
}

export async function createTelemetry(
  meter: MetricMeter,
  tracesEndpoint: string | undefined,
): Promise<Telemetry> {
  const metrics = metricsOver(meter);
  const tracing =
    tracesEndpoint === undefined ? NO_TRACING : await createTracing(tracesEndpoint, 'media-service worker');
  return {
    metrics,
    observe: (accountId) => observerOf(accountId, metrics, tracing),
    watchStep: (watched, run) => {
      const { step: name, attempt, facts, isActivity } = watched;
      if (isActivity === true) return countedStep(metrics, watched, run);
      const attributes = { ...facts, attempt };
      return countedStep(metrics, watched, () => tracing.inStep({ name, attributes }, run));
    },
    interceptors: interceptorsOf(metrics, tracing),
    sinks: sinksOf((news) => tracing.workflowEnded(news)),
    close: () => tracing.close(),
  };
}

function observerOf(account: string, metrics: Metrics, tracing: Tracing): CallObserver {
  return {
    begin(operation) {
      const from = performance.now();
      const span = tracing.beginCall(operation, account);
      return {
        headers: span.headers,
        end(status) {
          span.end(status);
          metrics.add('serviceCalls', { account, operation, status: String(status ?? 'none') });
          const seconds = (performance.now() - from) / 1000;
          metrics.observe('serviceCallDuration', { account, operation }, seconds);
        },
      };
    },
  };
}

function interceptorsOf(metrics: Metrics, tracing: Tracing): NonNullable<WorkerOptions['interceptors']> {
  return {
    activity: [
      ({ info }) => {
        let facts: TaskFacts = {};
        return {
          inbound: {
            async execute(input, next) {
              facts = taskFactsOf(input.args);
              const traceparent = traceparentIn(input.headers);
              const activity = { name: info.activityType, traceparent, attributes: spanFacts(info, facts) };
              try {
                return await tracing.inActivity(activity, () => next(input));
              } catch (error) {
                countFailure(metrics, { activity: info.activityType, account: facts.accountId, error });
                throw error;
              }
            },
          },
          outbound: { getLogAttributes: (input, next) => next({ ...input, ...facts }) },
        };
      },
    ],
  };
}

interface FailedActivity {
  readonly activity: string;
  readonly account: string | undefined;
  readonly error: unknown;
}

/** `countedStep` counts their failures, those of each part included. */
const COUNTED_STEPS: Readonly<Record<keyof ReturnType<typeof uploadActivities>, true>> = {
  pinSource: true,
  identifySource: true,
  startSession: true,
  awaitUploadHost: true,
  findOrphans: true,
  sendParts: true,
  completeSession: true,
  pollSession: true,
  readSession: true,
  releaseSource: true,
};

function countFailure(metrics: Metrics, { activity, account = 'none', error }: FailedActivity): void {
  if (error instanceof CancelledFailure || Object.hasOwn(COUNTED_STEPS, activity)) return;
  const code = error instanceof ApplicationFailure && error.type ? error.type : 'Internal';
  metrics.add('activityFailures', { account, activity, code });
}

function spanFacts(
  { attempt, workflowExecution, taskQueue }: Info,
  facts: TaskFacts,
): Readonly<Record<string, string | number>> {
  const workflowId = workflowExecution?.workflowId;
  return { ...facts, attempt, taskQueue, ...(workflowId === undefined ? {} : { workflowId }) };
}

function sinksOf(ended: (news: WorkflowEnded) => void): NonNullable<WorkerOptions['sinks']> {
  return { spans: { ended: { fn: (_info, news: WorkflowEnded) => ended(news) } } };
}

/** For workers without traces. */
export const DEAF_SINKS: NonNullable<WorkerOptions['sinks']> = sinksOf(() => undefined);

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

/**
 * Starts counters of each account that alerts use at 0. If a counter appeared with its first count, an alert would see no
 * increase. Workflows count with the labels that the SDK adds to theirs, activities without.
 */
export function startFromZero(
  meter: MetricMeter,
  { temporal, queuePrefix = DEFAULT_QUEUE_PREFIX }: Pick<WorkerConfig, 'temporal' | 'queuePrefix'>,
  accounts: Iterable<string>,
): void {
  const byActivities = metricsOver(meter);
  for (const account of accounts) {
    const taskQueue = controlQueue(queuePrefix, account);
    const byWorkflows = (workflowType: string): Metrics =>
      metricsOver(meter.withTags({ namespace: temporal.namespace, taskQueue, workflowType }));
    byWorkflows(BATCH_WORKFLOW).add('batchPauses', { account }, 0);
    const uploads = byWorkflows(UPLOAD_WORKFLOW);
    for (const code of ['none', ...ERROR_CODES]) {
      const outcome = code === 'none' ? 'completed' : code === 'Cancelled' ? 'cancelled' : 'failed';
      byActivities.add('uploadsEnded', { account, kind: 'row', outcome, code }, 0);
      for (const kind of ['single', 'row']) uploads.add('uploadsEnded', { account, kind, outcome, code }, 0);
    }
  }
}
