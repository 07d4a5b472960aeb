import type { Info } from '@temporalio/activity';
import type { Logger, WorkerOptions } from '@temporalio/worker';
import { systemClock } from '../../../api/clock';
import type { CallObserver } from '../../../api/service/observed-transport';
import type { FleetSinks } from '../../contract/telemetry';
import { countedTask } from '../metrics/activity-metrics';
import type { WatchStep } from '../../activities/context/watch-step';
import { countedStep } from '../metrics/step-metrics';
import { createMetricsRegistry, NO_METRICS } from '../metrics/registry';
import type { MetricsRegistry } from '../metrics/registry';
import { createWorkflowMetrics } from '../metrics/workflow-metrics';
import { createTracing, NO_TRACING, TRACES_MISSING } from '../../traces/tracing';
import type { Tracing } from '../../traces/tracing';
import { taskFactsOf } from './task-facts';
import { traceparentIn } from '../../trace-header';

/** Metrics, traces and log fields of one worker process, and the hooks that collect them. */
export interface Telemetry {
  readonly metrics: MetricsRegistry;
  /** False: metrics were not requested, or their library is missing. */
  readonly hasMetrics: boolean;
  /** Call before /metrics is served. */
  refresh(): void;
  readonly observe: (accountId: string) => CallObserver;
  /** Counts and traces what activities do for each of their inputs. */
  readonly watchStep: WatchStep;
  /** Counts the end of a row of a batch. */
  readonly rowEnded: (row: { readonly accountId: string; readonly code?: string }) => void;
  readonly interceptors: NonNullable<WorkerOptions['interceptors']>;
  readonly sinks: NonNullable<WorkerOptions['sinks']>;
  /** Sends the remaining data. */
  close(): Promise<void>;
}

export interface TelemetryOptions {
  readonly metrics: boolean;
  readonly tracesEndpoint?: string | undefined;
  readonly logger: Logger;
}

/**
 * The requested telemetry, as far as it is available. If a library is missing, logs the command that installs it, and
 * the worker runs without it.
 */
export async function createTelemetry({
  metrics,
  tracesEndpoint,
  logger,
}: TelemetryOptions): Promise<Telemetry> {
  const registry = metrics ? await orWithout(createMetricsRegistry, METRICS_MISSING, logger) : undefined;
  const tracing =
    tracesEndpoint === undefined
      ? undefined
      : await orWithout(() => createTracing(tracesEndpoint, 'media-service worker'), TRACES_MISSING, logger);
  return telemetryOf(registry, tracing ?? NO_TRACING);
}

const METRICS_MISSING =
  'There is no /metrics: its library is missing. Install it with `npm install prom-client`.';

async function orWithout<T>(make: () => Promise<T>, message: string, logger: Logger): Promise<T | undefined> {
  try {
    return await make();
  } catch (error) {
    logger.warn(message, { error });
    return undefined;
  }
}

function telemetryOf(registry: MetricsRegistry | undefined, tracing: Tracing): Telemetry {
  const metrics = registry ?? NO_METRICS;
  const workflows = createWorkflowMetrics(metrics, systemClock);
  return {
    metrics,
    hasMetrics: registry !== undefined,
    refresh: () => workflows.refresh(),
    observe: (accountId) => observerOf(accountId, metrics, tracing),
    watchStep: (watched, run) => {
      const { step: name, attempt, facts } = watched;
      const attributes = { ...facts, attempt };
      return countedStep(metrics, watched, () => tracing.inStep({ name, attributes }, run));
    },
    rowEnded: ({ accountId: account, code = 'none' }) => {
      const outcome = code === 'none' ? 'completed' : code === 'Cancelled' ? 'cancelled' : 'failed';
      metrics.add('uploadsEnded', { account, outcome, code });
    },
    interceptors: interceptorsOf(metrics, tracing),
    sinks: sinksOf({
      ended(news) {
        workflows.ended(news);
        tracing.workflowEnded(news);
      },
      batchRows: (news) => workflows.batchRows(news),
    }),
    close: () => tracing.close(),
  };
}

function observerOf(account: string, metrics: MetricsRegistry, tracing: Tracing): CallObserver {
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

function interceptorsOf(
  metrics: MetricsRegistry,
  tracing: Tracing,
): NonNullable<WorkerOptions['interceptors']> {
  return {
    activity: [
      ({ info }) => {
        let fields: Record<string, unknown> = {};
        return {
          inbound: {
            execute(input, next) {
              const facts = taskFactsOf(input.args);
              fields = { ...facts };
              const traceparent = traceparentIn(input.headers);
              return countedTask(metrics, { info, facts }, () =>
                tracing.inActivity(
                  { name: info.activityType, traceparent, attributes: spanFacts(info, facts) },
                  () => next(input),
                ),
              );
            },
          },
          outbound: { getLogAttributes: (input, next) => next({ ...input, ...fields }) },
        };
      },
    ],
  };
}

function spanFacts(
  { attempt, workflowExecution, taskQueue }: Info,
  facts: ReturnType<typeof taskFactsOf>,
): Readonly<Record<string, string | number>> {
  const workflowId = workflowExecution?.workflowId;
  return { ...facts, attempt, taskQueue, ...(workflowId === undefined ? {} : { workflowId }) };
}

function sinksOf(fleet: FleetSinks['fleet']): NonNullable<WorkerOptions['sinks']> {
  return {
    fleet: {
      ended: { fn: (_info, news: Parameters<typeof fleet.ended>[0]) => fleet.ended(news) },
      batchRows: { fn: (_info, news: Parameters<typeof fleet.batchRows>[0]) => fleet.batchRows(news) },
    },
  };
}

/** For custom workers without telemetry: reports of workflows are ignored. */
export const DEAF_SINKS: NonNullable<WorkerOptions['sinks']> = sinksOf({
  ended: () => undefined,
  batchRows: () => undefined,
});
