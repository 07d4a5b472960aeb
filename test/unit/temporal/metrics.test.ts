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

test.each(metrics)(
  'the metric $name is in docs/operations/monitoring.md as the code has it, in a few words, and named as Prometheus expects',
  ({ name, type, labels, help }) => {
    const shown = labels.map((label) => `, \`${label}\``).join('');
    expect(PAGE).toContain(`\n- \`${name}\` (${type}${shown}): ${help}\n`);
    expect(help.split(' ').length).toBeLessThanOrEqual(MAX_WORDS);
    expect(name).toMatch(/^media_service_[a-z_]+$/);
    expect(name.endsWith('_total')).toBe(type === 'counter');
  },
);
