import { describe, expect, it, jest } from '@jest/globals';
import { noopMetricMeter } from '@temporalio/common';
import { jsonLog } from '../../../../temporal/worker/json-log';
import { createTelemetry } from '../../../../temporal/telemetry/worker';

// They are installed here, but missing on a machine without optional dependencies.
jest.mock('@opentelemetry/sdk-trace-base', () => {
  throw Object.assign(new Error("Cannot find module '@opentelemetry/sdk-trace-base'"), {
    code: 'MODULE_NOT_FOUND',
  });
});

async function warningsOf(tracesEndpoint: string | undefined): Promise<readonly unknown[]> {
  const lines: string[] = [];
  const logger = jsonLog('warn', (line) => lines.push(line));
  const telemetry = await createTelemetry(noopMetricMeter, { tracesEndpoint, logger });
  // Nobody reads it.
  telemetry.metrics.observe('bandwidthWait', {}, 1);
  await telemetry.close();
  return lines.map((line): unknown => JSON.parse(line));
}

describe('a worker whose optional libraries are missing', () => {
  it('runs without traces and says in one line what to install', async () => {
    const message =
      'There are no traces: their libraries are missing. Install them with ' +
      '`npm install @opentelemetry/api @opentelemetry/sdk-trace-base @opentelemetry/resources @opentelemetry/exporter-trace-otlp-http`.';
    expect(await warningsOf('http://127.0.0.1:4318')).toEqual([
      expect.objectContaining({ level: 'warn', message }),
    ]);
  });

  it('says nothing if no traces were configured', async () => {
    expect(await warningsOf(undefined)).toEqual([]);
  });
});
