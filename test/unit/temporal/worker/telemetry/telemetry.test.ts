import { describe, expect, it, jest } from '@jest/globals';
import { jsonLog } from '../../../../../temporal/worker/json-log';
import { createTelemetry } from '../../../../../temporal/worker/telemetry/telemetry';

// They are installed here, but missing on a machine without optional dependencies.
jest.mock('prom-client', () => missing('prom-client'));
jest.mock('@opentelemetry/sdk-trace-base', () => missing('@opentelemetry/sdk-trace-base'));

function missing(name: string): never {
  throw Object.assign(new Error(`Cannot find module '${name}'`), { code: 'MODULE_NOT_FOUND' });
}

async function warningsOf(options: {
  readonly metrics: boolean;
  readonly tracesEndpoint?: string;
}): Promise<{ readonly hasMetrics: boolean; readonly warnings: readonly unknown[] }> {
  const lines: string[] = [];
  const logger = jsonLog('warn', (line) => lines.push(line));
  const telemetry = await createTelemetry({ ...options, logger });
  telemetry.metrics.add('bandwidthWait', {}, 1);
  await telemetry.close();
  return { hasMetrics: telemetry.hasMetrics, warnings: lines.map((line): unknown => JSON.parse(line)) };
}

describe('a worker whose optional library is missing', () => {
  it.each([
    [
      '/metrics',
      { metrics: true },
      'There is no /metrics: its library is missing. Install it with `npm install prom-client`.',
    ],
    [
      'traces',
      { metrics: false, tracesEndpoint: 'http://127.0.0.1:4318' },
      'There are no traces: their libraries are missing. Install them with ' +
        '`npm install @opentelemetry/api @opentelemetry/sdk-trace-base @opentelemetry/resources @opentelemetry/exporter-trace-otlp-http`.',
    ],
  ])('runs without %s and says in one line what to install', async (_what, options, message) => {
    const { hasMetrics, warnings } = await warningsOf(options);
    expect(hasMetrics).toBe(false);
    expect(warnings).toEqual([expect.objectContaining({ level: 'warn', message })]);
  });

  it('says nothing if neither was configured', async () => {
    expect((await warningsOf({ metrics: false })).warnings).toEqual([]);
  });
});
