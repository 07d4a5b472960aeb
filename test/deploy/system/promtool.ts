import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tempFolder } from '../../support/after-test';
import { toolPath } from '../../support/tool-path';
import { check, type Checked } from '../deploy-files';

export async function promtool(...args: readonly string[]): Promise<Checked> {
  return check(await toolPath('promtool'), args);
}

/**
 * Whether exactly these alerts of a file of rules fire three hours after the series began. A series is a name with
 * labels, then one value per minute in promtool's notation: `up{instance="w1"} 0+1x180`.
 * @returns what promtool found instead; empty if they fire
 */
export async function otherThanFiring(
  rules: string,
  series: readonly string[],
  names: readonly string[],
): Promise<string> {
  const dir = await tempFolder('promtool');
  const splitAt = (one: string): number => one.lastIndexOf('}') + 1;
  const file = join(dir, 'tests.yaml');
  const tests = [
    {
      interval: '1m',
      input_series: series.map((one) => ({
        series: one.slice(0, splitAt(one)),
        values: one.slice(splitAt(one)).trim(),
      })),
      promql_expr_test: [
        {
          expr: 'count by (alertname) (ALERTS{alertstate="firing"}) > bool 0',
          eval_time: '180m',
          exp_samples: names.map((name) => ({ labels: `{alertname="${name}"}`, value: 1 })),
        },
      ],
    },
  ];
  await writeFile(file, JSON.stringify({ rule_files: [rules], evaluation_interval: '1m', tests }));
  const { code, output } = await promtool('test', 'rules', file);
  return code === 0 ? '' : output;
}
