import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tempFolder } from '../../support/after-test';
import { DEPLOY } from '../deploy-files';
import { otherThanFiring } from './promtool';

const QUEUE = 'taskqueue="transfer"';

/** Series as Temporal's server 1.31 shows them, one value per minute. */
function backlog(instance: string, labels: string, tasks: number): string {
  const all = `instance="${instance}",${QUEUE},worker_build_id="__unversioned__",${labels}`;
  return `approximate_backlog_count{${all}} ${String(tasks)}x180`;
}

test('the Prometheus adapter rule sums priorities and partitions of a queue, and counts what two servers report once', async () => {
  const page = await readFile(join(DEPLOY, 'README.md'), 'utf8');
  const [, lines = ''] = /metricsQuery:\s+([^`]+?)\s+```/.exec(page) ?? [];
  // YAML folds a plain text of several lines in the same way.
  const query = lines.replace(/\s*\n\s*/g, ' ');
  const dir = await tempFolder('autoscaling');
  const rules = join(dir, 'rules.yaml');
  const rule = { alert: 'Eighteen', expr: `${query.replace('<<.LabelMatchers>>', QUEUE)} == 18` };
  await writeFile(rules, JSON.stringify({ groups: [{ name: 'backlog', rules: [rule] }] }));
  const series = [
    backlog('one', 'task_type="Activity",partition="0",task_priority="2"', 6),
    backlog('two', 'task_type="Activity",partition="0",task_priority="2"', 6),
    backlog('one', 'task_type="Activity",partition="0",task_priority="4"', 5),
    backlog('one', 'task_type="Activity",partition="1",task_priority="4"', 7),
    backlog('one', 'task_type="Workflow",partition="0",task_priority="3"', 100),
  ];
  expect(await otherThanFiring(rules, series, ['Eighteen'])).toBe('');
});
