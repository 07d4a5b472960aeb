import { ifKnown } from '../../temporal/client/rpc-failure';
import { METRICS } from '../../temporal/metrics';
import { runWorker } from '../../temporal/worker/run-worker';
import { pageIdOf, progressWhen, startRows, writeRows } from '../support/batch-fixture';
import { until } from '../support/until';
import { secretsIn } from '../support/canary';
import { freePort } from '../support/free-port';
import { metricValue } from '../support/metric-value';
import { PART_BYTES, useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture({ worker: false });
let metrics: () => Promise<string>;
let readiness: () => Promise<Response>;
let stop: () => Promise<void>;
const lines: string[] = [];

beforeAll(async () => {
  const at = { host: '127.0.0.1', port: await freePort() };
  const writeLog = (line: string): void => void lines.push(line);
  const health = { host: '127.0.0.1', port: await freePort() };
  stop = await on.fixture.startWorker({ logLevel: 'warn', metrics: at, health }, undefined, { writeLog });
  readiness = () => fetch(`http://${health.host}:${health.port}/readyz`);
  metrics = async () => (await fetch(`http://${at.host}:${at.port}/metrics`)).text();
});

describe('a worker', () => {
  it('shows what it does to an upload: counts from 0 for its account, and a log without secrets', async () => {
    const { fixture } = on;
    const account = fixture.accountId;
    const before = await metrics();
    const ends = { completed: 'none', failed: 'SourceChanged', cancelled: 'Cancelled' };
    for (const [outcome, code] of Object.entries(ends)) {
      const labels = { account, kind: 'single', outcome, code };
      expect(metricValue(before, METRICS.uploadsEnded.name, labels)).toBe(0);
    }
    fixture.simulator.fault('put-503:1:part=1');
    const file = await fixture.writeFile('counted.mp4', 3);
    const handle = await fixture.start(file.path);
    const { uploadId } = await handle.result();
    const page = await metrics();
    const is = (name: string, labels?: Readonly<Record<string, string>>): number | undefined =>
      metricValue(page, name, labels);
    const { parts, serviceCalls, uploadsEnded } = METRICS;
    const expected: [value: number, name: string, labels?: Readonly<Record<string, string>>][] = [
      [3, parts.name, { account, outcome: 'sent' }],
      [1, parts.name, { account, outcome: 'failed' }],
      [1, METRICS.partRetries.name, { account, code: 'StorageBusy' }],
      [3 * PART_BYTES, METRICS.partBytes.name, { account }],
      [3, `${METRICS.partDuration.name}_count`, { account }],
      [1, serviceCalls.name, { account, operation: 'upload start' }],
      [1, serviceCalls.name, { account, operation: 'login', status: '200' }],
      [1, uploadsEnded.name, { account, kind: 'single', outcome: 'completed', code: 'none' }],
      [1, METRICS.workerReady.name],
      [0, METRICS.workerDraining.name],
    ];
    expect(expected.map(([, ...series]) => [is(...series), ...series])).toEqual(expected);
    // A value without an event of its own is shown every two seconds.
    const concurrency = async (): Promise<number | undefined> =>
      metricValue(await metrics(), METRICS.storageConcurrency.name);
    await until('the worker shows how many parts go to storage at once', concurrency);
    const { host } = fixture.config;
    const [queue = '', ...others] = [`.transfer@${host}`, '', '.pages', `.pages@${host}`, '.transfer'].map(
      (end) => `${fixture.queuePrefix}.${account}${end}`,
    );
    const wait = 'temporal_activity_schedule_to_start_latency_seconds_bucket';
    // The alert needs a bound above its two minutes.
    expect(is(wait, { task_queue: queue, le: '300' })).toBeGreaterThanOrEqual(1);
    expect(is('temporal_worker_task_slots_used', { task_queue: queue })).toBe(0);
    for (const task_queue of [queue, ...others])
      for (const slots of ['used', 'available'])
        expect(
          is(`temporal_worker_task_slots_${slots}`, { task_queue, worker_type: 'ActivityWorker' }),
        ).toBeGreaterThanOrEqual(slots === 'used' ? 0 : 1);
    // Messages of Temporal itself, such as about a slow server, may come in between.
    const entries = lines.map((line): object => JSON.parse(line) as object);
    expect(entries.filter((entry) => 'message' in entry && entry.message === 'Step failed')).toEqual([
      expect.objectContaining({
        level: 'warn',
        activityType: 'sendParts',
        step: 'sendPart',
        tries: 1,
        error: expect.objectContaining({ code: 'StorageBusy' }),
        accountId: account,
        uploadId,
        partNumber: 1,
        workflowId: handle.workflowId,
      }),
    ]);
    const { apiKey, secretKey } = fixture.account;
    expect(secretsIn(lines.join(''), [apiKey, secretKey, 'X-Amz-Signature'])).toEqual([]);
  });

  it('counts the end of a batch and its rows, also of one that the service processes after its page has sent it', async () => {
    const { fixture } = on;
    const count = async (name: string, labels: Record<string, string>): Promise<number | undefined> =>
      metricValue(await metrics(), name, { account: fixture.accountId, outcome: 'completed', ...labels });
    fixture.simulator.fault('processing-stuck:1');
    const batch = await startRows(fixture, 'seen', await writeRows(fixture, 'seen', 3));
    const page = fixture.connection.client.workflow.getHandle(await pageIdOf(fixture, batch.workflowId, 0));
    await until(
      'the page runs and polls',
      async () => (await ifKnown(page.describe()))?.raw.pendingActivities ?? [],
      (pending) => pending.some(({ attempt }) => Number(attempt) > 1),
    );
    fixture.simulator.release();
    expect(await batch.result()).toMatchObject({ counts: { completed: 3 } });
    expect(await count(METRICS.batchesEnded.name, {})).toBe(1);
    expect(await count(METRICS.uploadsEnded.name, { kind: 'row' })).toBe(3);
  });

  it('counts a batch that pauses by itself, but not one that a user pauses', async () => {
    const { fixture } = on;
    const { accountId: account, folder } = fixture;
    const pauses = async (): Promise<number | undefined> =>
      metricValue(await metrics(), METRICS.batchPauses.name, { account });
    expect(await pauses()).toBe(0);
    const ids = Array.from({ length: 12 }, (_, row) => String(row));
    const rows = ids.map((id) => ({ id, source: `${folder}/none-${id}.mp4` }));
    const options = { parallelUploads: 1, pageRows: 6, maxFailures: 2 };
    const batch = await startRows(fixture, 'failing', rows, { options });
    await progressWhen(batch, ({ phase }) => phase === 'paused');
    expect(await pauses()).toBe(1);
    await batch.pause();
    await batch.cancel();
    await expect(batch.result()).rejects.toMatchObject({ code: 'Cancelled' });
    expect(await pauses()).toBe(1);
  });

  it('closes the port of its health once it has stopped', async () => {
    expect((await readiness()).status).toBe(200);
    await stop();
    await expect(readiness()).rejects.toThrow('fetch failed');
  });

  it('without accounts, or in a namespace that is missing, says so before it polls anything', async () => {
    const { config } = on.fixture;
    const { signal } = new AbortController();
    for (const change of [{ accounts: [] }, { temporal: { ...config.temporal, namespace: 'nope' } }])
      await expect(
        runWorker({ ...config, ...change }, { signal, workflowBundle: { code: '' } }),
      ).rejects.toMatchObject({ code: 'Configuration' });
  });
});
