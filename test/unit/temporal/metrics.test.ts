import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { METRICS } from '../../../temporal/metrics';
import type { MetricDefinition } from '../../../temporal/metrics';

/** Without the line breaks inside its list entries. */
const PAGE = readFileSync(join(__dirname, '../../../docs/operations/monitoring.md'), 'utf8').replace(
  /\n +(?=\S)/g,
  ' ',
);
const MAX_WORDS = 20;
const metrics: readonly MetricDefinition[] = Object.values(METRICS);

describe('the metrics of a worker', () => {
  it.each(metrics.map((metric) => [metric.name, metric] as const))(
    '%s is in docs/operations/monitoring.md as the code has it, in a few words',
    (name, { type, labels, help }) => {
      const shown = labels.map((label) => `, \`${label}\``).join('');
      expect(PAGE).toContain(`\n- \`${name}\` (${type}${shown}): ${help}\n`);
      expect(help.split(' ').length).toBeLessThanOrEqual(MAX_WORDS);
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
