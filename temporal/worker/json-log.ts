import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import type { Logger, LogLevel as SdkLogLevel, TelemetryOptions } from '@temporalio/worker';
import { MediaServiceError } from '../../api/errors';
import { redact } from '../../api/answers/redact';
import { HISTOGRAM_BUCKETS } from '../metrics';
import { listenError, socketAddress } from './health-server';
import type { ListenAddress } from './health-server';
import type { LogLevel } from './worker-config';

/** Fields that people can't read, or that are too long for a line. */
const LEFT_OUT: ReadonlySet<string> = new Set(['taskToken', 'sdkComponent', 'stack']);

/**
 * Messages of the SDK about queues that are configured on purpose: two of a worker's three queues run only activities,
 * and none serves Nexus.
 */
const AS_MEANT: ReadonlySet<string> = new Set([
  'No workflows registered, not polling for workflow tasks',
  'No Nexus services registered, not polling for Nexus tasks',
]);

const SDK_LEVELS = {
  trace: 'TRACE',
  debug: 'DEBUG',
  info: 'INFO',
  warn: 'WARN',
  error: 'ERROR',
} as const satisfies Record<LogLevel, SdkLogLevel>;

/** Logs one JSON object per line with `write`. Removes everything that looks like a secret. */
export function jsonLog(level: LogLevel, write: (line: string) => void): Logger {
  return new DefaultLogger(SDK_LEVELS[level], ({ level: at, timestampNanos, message, meta }) => {
    if (AS_MEANT.has(message)) return;
    const time = new Date(Number(timestampNanos / 1_000_000n)).toISOString();
    write(`${lineOf({ time, level: at.toLowerCase(), message }, meta ?? {})}\n`);
  });
}

/** Logging must never fail the work that it reports. */
function lineOf(head: object, meta: object): string {
  try {
    return JSON.stringify({ ...head, ...meta }, readable);
  } catch {
    return JSON.stringify({ ...head, meta: '[unreadable]' }, readable);
  }
}

/** What JSON holds of a value, without secrets. */
function readable(name: string, value: unknown): unknown {
  if (LEFT_OUT.has(name)) return undefined;
  if (value instanceof MediaServiceError) return { code: value.code, message: value.message };
  if (value instanceof Error) return { name: value.name, message: value.message, cause: value.cause };
  if (typeof value === 'bigint') return String(value);
  return typeof value === 'string' ? redact(value) : value;
}

let installed: Logger | undefined;

/**
 * Makes the SDK log as `jsonLog` does, and serve metrics at an address. The SDK takes one logger and one address per
 * process: the first call decides, and later calls change nothing. Throws `Configuration` if the address can't be
 * opened.
 */
export function installRuntime(level: LogLevel, write = writeToStderr, metrics?: ListenAddress): Logger {
  if (installed !== undefined) return installed;
  // A closed pipe or a full disk must not end the worker, so the line is dropped.
  if (write === writeToStderr) process.stderr.on('error', () => undefined);
  const logger = jsonLog(level, write);
  const filter = makeTelemetryFilterString({ core: 'WARN' });
  const logging = { forward: {}, filter };
  try {
    Runtime.install({
      logger,
      shutdownSignals: [],
      telemetryOptions: { logging, ...(metrics === undefined ? {} : { metrics: exporterAt(metrics) }) },
    });
  } catch (error) {
    if (metrics === undefined || !(error instanceof Error)) throw error;
    throw listenError('metrics', metrics, error);
  }
  return (installed = logger);
}

function exporterAt(address: ListenAddress): NonNullable<TelemetryOptions['metrics']> {
  const bindAddress = socketAddress(address);
  const names = { countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true };
  const histogramBucketOverrides = HISTOGRAM_BUCKETS;
  return { attachServiceName: false, prometheus: { bindAddress, ...names, histogramBucketOverrides } };
}

function writeToStderr(line: string): void {
  process.stderr.write(line);
}
