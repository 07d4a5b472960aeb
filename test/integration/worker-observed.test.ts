import { WorkflowNotFoundError } from '@temporalio/client';
import { isJsonObject } from '../../api/json';
import { METRICS } from '../../temporal/metrics';
import { runWorker } from '../../temporal/worker/run-worker';
import { pageIdOf, progressWhen, startRows, writeRows } from '../support/batch-fixture';
import { until } from '../support/until';
import { secretsIn } from '../support/canary';
import { freePort } from '../support/free-port';
import { HELD, PART_BYTES, useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture({ worker: false });
const health = { host: '127.0.0.1', port: 0 };
const exporter = { host: '127.0.0.1', port: 0 };
let stop: () => Promise<void>;
const lines: string[] = [];

beforeAll(async () => {
  health.port = await freePort();
  exporter.port = await freePort();
  const addresses = { health, metrics: exporter };
  const change = { logLevel: 'warn', shutdownGraceMs: 60_000, ...addresses } as const;
  stop = await on.fixture.startWorker(change, undefined, { writeLog: (line) => void lines.push(line) });
});

const metrics = async (): Promise<string> =>
  (await fetch(`http://127.0.0.1:${String(exporter.port)}/metrics`)).text();

async function look(page: string): Promise<unknown[]> {
  const answer = await fetch(`http://127.0.0.1:${String(health.port)}/${page}`);
  return [answer.status, await answer.json()];
}

/** The value of one series of the page, or undefined if it is missing. */
function valueOf(
  page: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const line = page
    .split('\n')
    .find(
      (one) =>
        (one.startsWith(`${name}{`) || one.startsWith(`${name} `)) &&
        Object.entries(labels).every(([label, value]) => one.includes(`${label}="${value}"`)),
    );
  return line === undefined ? undefined : Number(line.split(' ').at(-1));
}

describe('a worker', () => {
  it('shows what it does to an upload: counts from 0 for its account, and a log without secrets', async () => {
    const { fixture } = on;
    const account = fixture.accountId;
    const before = await metrics();
    const ended = (outcome: string, code: string) =>
      valueOf(before, METRICS.uploadsEnded.name, { account, kind: 'single', outcome, code });
    expect({
      completed: ended('completed', 'none'),
      failed: ended('failed', 'SourceChanged'),
      cancelled: ended('cancelled', 'Cancelled'),
    }).toEqual({ completed: 0, failed: 0, cancelled: 0 });
    fixture.simulator.fault('put-503:1:part=1');
    const file = await fixture.writeFile('counted.mp4', 3);
    const handle = await fixture.start(file.path);
    const { uploadId } = await handle.result();
    const page = await metrics();
    const is = (name: string, labels?: Readonly<Record<string, string>>): number | undefined =>
      valueOf(page, name, labels);
    expect({
      sent: is(METRICS.parts.name, { account, outcome: 'sent' }),
      failed: is(METRICS.parts.name, { account, outcome: 'failed' }),
      retries: is(METRICS.partRetries.name, { account, code: 'StorageBusy' }),
      bytes: is(METRICS.partBytes.name, { account }),
      durations: is(`${METRICS.partDuration.name}_count`, { account }),
      starts: is(METRICS.serviceCalls.name, { account, operation: 'upload start' }),
      logins: is(METRICS.serviceCalls.name, { account, operation: 'login', status: '200' }),
      uploads: is(METRICS.uploadsEnded.name, { account, kind: 'single', outcome: 'completed', code: 'none' }),
      ready: is(METRICS.workerReady.name),
      draining: is(METRICS.workerDraining.name),
    }).toEqual({
      sent: 3,
      failed: 1,
      retries: 1,
      bytes: 3 * PART_BYTES,
      durations: 3,
      starts: 1,
      logins: 1,
      uploads: 1,
      ready: 1,
      draining: 0,
    });
    // A value without an event of its own is shown every two seconds.
    const concurrency = async (): Promise<number | undefined> =>
      valueOf(await metrics(), METRICS.storageConcurrency.name);
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
    const entries = lines
      .map((line): unknown => JSON.parse(line))
      .filter(isJsonObject)
      .filter(({ message }) => message === 'Step failed');
    expect(entries).toEqual([
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

  it('counts the rows of a batch and its end', async () => {
    const { fixture } = on;
    const account = fixture.accountId;
    const count = async (name: string, labels: Record<string, string>): Promise<number | undefined> =>
      valueOf(await metrics(), name, { account, ...labels });
    const ended = { outcome: 'completed' };
    const rows = await writeRows(fixture, 'seen', 3);
    await (await startRows(fixture, 'seen', rows)).result();
    expect(await count(METRICS.batchesEnded.name, ended)).toBe(1);
    expect(await count(METRICS.uploadsEnded.name, { kind: 'row', ...ended })).toBe(3);
  });

  it('counts a row that the service still processes after its page has sent it', async () => {
    const { fixture } = on;
    const labels = { account: fixture.accountId, kind: 'row', outcome: 'completed' };
    const completed = async (): Promise<number | undefined> =>
      valueOf(await metrics(), METRICS.uploadsEnded.name, labels);
    const before = (await completed()) ?? Number.NaN;
    fixture.simulator.fault('processing-stuck:1');
    const batch = await startRows(fixture, 'processed', await writeRows(fixture, 'processed', 1));
    const page = fixture.connection.client.workflow.getHandle(await pageIdOf(fixture, batch.workflowId, 0));
    const pending = async (): Promise<unknown[]> =>
      ((await page.describe()).raw.pendingActivities ?? []).map(({ attempt }) => attempt);
    const unknown = (error: unknown): unknown[] => {
      if (error instanceof WorkflowNotFoundError) return [];
      throw error;
    };
    await until(
      'the page polls',
      () => pending().catch(unknown),
      (attempts) => attempts.some((attempt) => Number(attempt) > 1),
    );
    fixture.simulator.release();
    expect(await batch.result()).toMatchObject({ counts: { completed: 1 } });
    expect(await completed()).toBe(before + 1);
  });

  it('counts a batch that pauses by itself, but not one that a user pauses', async () => {
    const { fixture } = on;
    const { accountId: account, folder } = fixture;
    const pauses = async (): Promise<number | undefined> =>
      valueOf(await metrics(), METRICS.batchPauses.name, { account });
    expect(await pauses()).toBe(0);
    const rows = Array.from({ length: 12 }, (_, row) => ({
      id: String(row),
      source: `${folder}/none-${row}.mp4`,
    }));
    const options = { parallelUploads: 1, pageRows: 6, maxFailures: 2 };
    const batch = await startRows(fixture, 'failing', rows, { options });
    await progressWhen(batch, ({ phase }) => phase === 'paused');
    expect(await pauses()).toBe(1);
    await batch.pause();
    await batch.cancel();
    await expect(batch.result()).rejects.toMatchObject({ code: 'Cancelled' });
    expect(await pauses()).toBe(1);
  });

  it('is ready while it polls, says why it is not ready while it drains, and closes its port afterwards', async () => {
    const { fixture } = on;
    expect(await look('readyz')).toEqual([200, { ok: true }]);
    const from = fixture.simulator.events().at(-1)?.seq ?? 0;
    // So close to its end that the drain lets it end.
    fixture.simulator.fault(`hold:part=1,bytes=${String(PART_BYTES - 1_000)}`);
    const { path } = await fixture.writeFile('drained.mp4', 1);
    const { workflowId } = await fixture.start(path, { options: HELD });
    await fixture.simulator.waitFor(({ event, seq }) => event === 'held' && seq > from);
    const stopped = stop();
    expect(await look('readyz')).toEqual([503, { ok: false, notReady: ['the worker drains'] }]);
    expect(await look('healthz')).toEqual([200, { ok: true }]);
    fixture.simulator.release();
    await stopped;
    await expect(look('readyz')).rejects.toThrow('fetch failed');
    await fixture.connection.client.workflow.getHandle(workflowId).terminate();
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
