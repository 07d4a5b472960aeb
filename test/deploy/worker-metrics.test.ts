import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Simulator } from '../../simulator/simulator';
import { startSimulator } from '../../simulator/start-simulator';
import { METRICS, type MetricDefinition } from '../../temporal/worker/metrics/metric-names';
import { startBuilt, type RunningProgram } from '../support/built-command';
import { accountEnv } from '../support/command';
import { freePort } from '../support/free-port';
import { createTempDir, type TempDir } from '../support/temp-dir';
import { startTemporalServer, type TemporalServer } from '../support/temporal-server';
import { DEPLOY } from './deploy-check';
import { until } from '../support/until';

const metrics: readonly MetricDefinition[] = Object.values(METRICS);

let temporal: TemporalServer;
let folder: TempDir;
let simulator: Simulator;
let worker: RunningProgram;
let page: () => Promise<string>;

beforeEach(async () => {
  [temporal, folder, simulator] = await Promise.all([
    startTemporalServer(),
    createTempDir('worker-metrics'),
    startSimulator(),
  ]);
  const port = await freePort();
  const { baseUrl, uploadUrl } = simulator;
  const account = accountEnv({ ...simulator.account, baseUrl, uploadUrl });
  worker = await startBuilt(['worker', '--health-port', String(port)], {
    cwd: folder.path,
    env: { ...account, TEMPORAL_ADDRESS: temporal.address },
  });
  await worker.until('Ready: polls');
  page = async () => (await fetch(`http://127.0.0.1:${String(port)}/metrics`)).text();
});

afterEach(async () => {
  worker.signal('SIGKILL');
  await worker.ended;
  await temporal.stop();
  await simulator.close();
  await folder.remove();
});

test('a worker shows exactly those of our metrics that alerts and dashboard may use', async () => {
  const types = [...(await page()).matchAll(/^# TYPE (media_service_\w+) (\w+)$/gm)];
  const shown = types.map(([, name, type]) => `${name ?? ''} ${type ?? ''}`).sort();
  expect(shown).toEqual(metrics.map(({ name, type }) => `${name} ${type}`).sort());
});

test('failed polls of Temporal are counted under the name that the alert uses', async () => {
  const alerts = readFileSync(join(DEPLOY, 'prometheus/alerts.yaml'), 'utf8');
  const [, name = '', codes = ''] = /rate\((temporal_\w+)\{status_code=~"([^"]+)"\}/.exec(alerts) ?? [];
  const counted = new RegExp(
    `^${name}\\{(?=.*operation="Poll)(?=.*task_queue="media-service\\.demo-studio-).*status_code="(${codes})"`,
    'm',
  );
  await temporal.stop();
  await simulator.close();
  await until(`a metric that ${String(counted)} matches`, page, (shown) => counted.test(shown));
});
