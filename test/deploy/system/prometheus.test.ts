import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tempFolder } from '../../support/after-test';
import { DEPLOY, type Checked } from '../deploy-files';
import { promtool } from './promtool';

const check = async (what: string, file: string): Promise<Checked> =>
  promtool('check', what, ...(what === 'config' ? ['--syntax-only'] : []), file);

test.each([
  ['rules', 'prometheus/alerts.yaml'],
  ['config', 'compose/prometheus.yaml'],
])('Prometheus accepts as %s deploy/%s', async (what, file) => {
  expect((await check(what, join(DEPLOY, file))).code).toBe(0);
});

/** What Grafana inserts for its own variables. */
const VARIABLES = { $__rate_interval: '5m', $__range: '1h', $__interval: '1m' };

interface Dashboard {
  readonly panels: readonly {
    readonly id: number;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}

test('Prometheus accepts each query of the dashboard, whose panels have ids of their own', async () => {
  const dashboard = JSON.parse(await readFile(join(DEPLOY, 'grafana/dashboard.json'), 'utf8')) as Dashboard;
  const ids = dashboard.panels.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const queries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  expect(queries.length).toBeGreaterThan(10);
  const rules = queries.map((query, index) => ({
    record: `query:${String(index)}`,
    expr: Object.entries(VARIABLES).reduce((text, [name, value]) => text.replaceAll(name, value), query),
  }));
  const dir = await tempFolder('dashboard');
  const file = join(dir, 'rules.yaml');
  await writeFile(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
  expect(await promtool('check', 'rules', file)).toMatchObject({ code: 0 });
});
