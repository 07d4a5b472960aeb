import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { METRICS } from '../../../../../temporal/worker/metrics/metric-names';
import type { MetricDefinition } from '../../../../../temporal/worker/metrics/metric-names';

/** Without the padding of its tables. */
const PAGE = readFileSync(join(__dirname, '../../../../../docs/operations/monitoring.md'), 'utf8').replace(
  / +\|/g,
  ' |',
);
const metrics: readonly MetricDefinition[] = Object.values(METRICS);

describe('the metrics of a worker', () => {
  it.each(metrics.map((metric) => [metric.name, metric] as const))(
    '%s is in docs/operations/monitoring.md as the code has it',
    (name, { type, labels, help }) => {
      const shown = labels.length === 0 ? '–' : labels.map((label) => `\`${label}\``).join(', ');
      expect(PAGE).toContain(`| \`${name}\` | ${type} | ${shown} | ${help} |`);
    },
  );

  it.each(metrics.map(({ name, type }) => [name, type] as const))(
    '%s is named as Prometheus expects for a %s',
    (name, type) => {
      expect(name).toMatch(/^media_service_[a-z_]+$/);
      expect(name.endsWith('_total')).toBe(type === 'counter');
    },
  );
});
