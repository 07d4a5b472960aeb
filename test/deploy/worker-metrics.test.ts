import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Simulator } from '../../simulator/start-simulator';
import { startSimulator } from '../../simulator/start-simulator';
import { METRICS } from '../../temporal/metrics';
import type { MetricDefinition } from '../../temporal/metrics';
import { startBuilt } from '../support/built-command';
import type { RunningProgram } from '../support/built-command';
import { accountEnv } from '../support/command';
import { freePort } from '../support/free-port';
import { startTemporalServer } from '../support/temporal-server';
import type { TemporalServer } from '../support/temporal-server';
import { DEPLOY } from './deploy-files';
import { until } from '../support/until';
import { useTempDir } from '../support/use-temp-dir';

const metrics: readonly MetricDefinition[] = Object.values(METRICS);

const folder = useTempDir('worker-metrics');
let temporal: TemporalServer;
let simulator: Simulator;
let worker: RunningProgram;
let address: string;

function start(): Promise<RunningProgram> {
  const { account, baseUrl, uploadUrl } = simulator;
  const env = { ...accountEnv({ ...account, baseUrl, uploadUrl }), TEMPORAL_ADDRESS: temporal.address };
  return startBuilt(['worker', '--metrics', address], { cwd: folder.path, env });
}

async function page(): Promise<string> {
  return (await fetch(`http://${address}/metrics`)).text();
}

beforeAll(async () => {
  [temporal, simulator] = await Promise.all([startTemporalServer(), startSimulator()]);
  address = `127.0.0.1:${String(await freePort())}`;
  worker = await start();
  await worker.until('Ready: polls');
});

afterAll(async () => {
  worker.signal('SIGKILL');
  await worker.ended;
  await temporal.stop();
  await simulator.close();
});

test('a worker that has just started shows what alerts need from the start, under the names of the table', async () => {
  const types = [...(await page()).matchAll(/^# TYPE (media_service_\w+) (\w+)$/gm)];
  const shown = types.map(([, name, type]) => `${name ?? ''} ${type ?? ''}`);
  expect(metrics.map(({ name, type }) => `${name} ${type}`)).toEqual(expect.arrayContaining(shown));
  const { workerInfo, workerReady, workerDraining, uploadsEnded, batchPauses } = METRICS;
  const needed = [workerInfo, workerReady, workerDraining, uploadsEnded, batchPauses];
  expect(shown).toEqual(expect.arrayContaining(needed.map(({ name, type }) => `${name} ${type}`)));
});

test('a second worker with the same address for metrics ends at once and says what to do', async () => {
  const { exit, stdout, stderr } = await (await start()).ended;
  expect([exit, stdout]).toEqual([3, '']);
  expect(stderr).toContain(`The address ${address} for metrics can't be opened: the port is in use.`);
  expect(stderr).toContain('Choose a free port for metrics; health and metrics each need their own.');
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
