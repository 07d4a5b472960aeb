import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import type { Logger, LogLevel as SdkLogLevel, TelemetryOptions } from '@temporalio/worker';
import { MediaServiceError } from '../../api/errors';
import { redact } from '../../api/answers/redact';
import type { LogLevel } from './worker-config';

/** Opaque to people, or too long for a line. */
const LEFT_OUT: ReadonlySet<string> = new Set(['taskToken', 'sdkComponent', 'stack']);

/** What the SDK tells of each queue although it is meant so: two of a worker's three run activities alone, and none serves Nexus. */
const AS_MEANT: ReadonlySet<string> = new Set([
  'No workflows registered, not polling for workflow tasks',
  'No Nexus services registered, not polling for Nexus tasks',
]);

/** An error can be its own cause. */
const MOST_CAUSES = 5;

const SDK_LEVELS = {
  trace: 'TRACE',
  debug: 'DEBUG',
  info: 'INFO',
  warn: 'WARN',
  error: 'ERROR',
} as const satisfies Record<LogLevel, SdkLogLevel>;

/** One JSON object per line, written by `write`; everything that looks like a secret is taken out. */
export function jsonLog(level: LogLevel, write: (line: string) => void): Logger {
  return new DefaultLogger(SDK_LEVELS[level], ({ level: at, timestampNanos, message, meta }) => {
    if (AS_MEANT.has(message)) return;
    const time = new Date(Number(timestampNanos / 1_000_000n)).toISOString();
    const fields = { time, level: at.toLowerCase(), message: redact(message), ...plain(meta ?? {}) };
    write(`${JSON.stringify(fields)}\n`);
  });
}

function plain(meta: Readonly<Record<string | symbol, unknown>>): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(meta)) {
    if (!LEFT_OUT.has(name)) fields[name] = readableValue(value);
  }
  return fields;
}

/** A log line must never fail what it tells of. */
function readableValue(value: unknown): unknown {
  try {
    return plainValue(value, MOST_CAUSES);
  } catch {
    return '[unreadable]';
  }
}

function plainValue(value: unknown, causesLeft: number): unknown {
  if (value instanceof MediaServiceError) return { code: value.code, message: redact(value.message) };
  if (value instanceof Error) {
    const shown = value.cause !== undefined && causesLeft > 0;
    const cause = shown ? { cause: plainValue(value.cause, causesLeft - 1) } : {};
    return { name: value.name, message: redact(value.message), ...cause };
  }
  if (typeof value === 'string') return redact(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
  return typeof value === 'object' ? redact(JSON.stringify(value, withoutBigInts)) : undefined;
}

function withoutBigInts(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

let installed: Logger | undefined;
let coreAddress: string | undefined;

/** Where the core of this process serves its metrics; undefined: nowhere. */
export function coreMetricsAddress(): string | undefined {
  return coreAddress;
}

/** Makes the SDK log as `jsonLog` does. The SDK takes one logger per process: the first call decides, later ones change nothing. */
export function installLogger(level: LogLevel, write = writeToStderr, metricsAddress?: string): Logger {
  if (installed !== undefined) return installed;
  // A reader that has died, or a full disk, must not end the worker: the line is dropped.
  if (write === writeToStderr) process.stderr.on('error', () => undefined);
  const logger = jsonLog(level, write);
  const filter = makeTelemetryFilterString({ core: 'WARN' });
  Runtime.install({
    logger,
    shutdownSignals: [],
    telemetryOptions: { logging: { forward: {}, filter }, ...coreMetricsAt(metricsAddress) },
  });
  coreAddress = metricsAddress;
  return (installed = logger);
}

function coreMetricsAt(address: string | undefined): Pick<TelemetryOptions, 'metrics'> {
  if (address === undefined) return {};
  const names = { countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true };
  return { metrics: { prometheus: { bindAddress: address, ...names } } };
}

function writeToStderr(line: string): void {
  process.stderr.write(line);
}
