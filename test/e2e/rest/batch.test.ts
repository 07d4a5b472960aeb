import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { INodeParameters } from 'n8n-workflow';
import { secretsIn } from '../../support/canary';
import { serveFile } from '../../support/range-server';
import {
  activateWorkflow,
  deactivateWorkflow,
  executionsOf,
  importWorkflow,
  waitForExecution,
} from '../support/n8n-executions';
import type { Execution } from '../support/n8n-executions';
import { secretsKept } from '../support/kept-by-n8n';
import { keptByTemporal } from '../support/kept-by-temporal';
import { NODE_TYPE, nodeOf, useStage } from '../support/n8n-stage';
import { SECRET_TRACES, WORKER_HOST } from '../support/service-fixture';
import { openWorkerBucket } from '../support/worker-bucket';
import { NO_POLL_TIMES } from '../support/poll-times';
import type { WorkerBucket } from '../support/worker-bucket';
import { until } from '../../support/until';

const on = useStage();
const TRIGGER = 'When a batch finished';
const BATCH = 'e2e-batch';

/**
 * Publishes a workflow with only the trigger, which polls at once. Returns the execution that it starts.
 */
async function runTrigger(): Promise<Execution> {
  const { rest } = on.stage.n8n;
  const trigger = nodeOf(TRIGGER, `${NODE_TYPE}Trigger`, {
    event: 'batchFinished',
    options: { startFrom: '-5m' },
    pollTimes: NO_POLL_TIMES,
  });
  const workflow = await importWorkflow(rest, {
    nodes: [
      { ...trigger, credentials: { ...on.stage.credentials } },
      nodeOf('After', 'n8n-nodes-base.noOp', {}),
    ],
    connections: { [TRIGGER]: { main: [[{ node: 'After', type: 'main', index: 0 }]] } },
  });
  await activateWorkflow(rest, workflow);
  const id = await until(
    'the trigger starts an execution',
    async () => (await executionsOf(rest, workflow))[0],
  );
  const ended = await waitForExecution(rest, id ?? '');
  await deactivateWorkflow(rest, workflow);
  return ended;
}

interface BatchRun {
  /** Path of the results. */
  readonly results: string;
  readonly workflowId: unknown;
  /** What n8n stored of the execution. */
  readonly text: string;
}

/** Temporal's index shows the end of a batch a moment later. */
async function listedAsEnded(): Promise<void> {
  await until(
    `${BATCH} is listed as COMPLETED`,
    async () => (await on.stage.run({ resource: 'batch', operation: 'getMany', returnAll: true })).items,
    (items) => items.some(({ json }) => json['batchId'] === BATCH && json['status'] === 'COMPLETED'),
  );
}

test('a workflow starts a batch of its items and waits for it; its end starts another workflow through the trigger', async () => {
  const { fixture } = on.stage;
  const files = await Promise.all(['a', 'b', 'c'].map((name) => fixture.writeFile(`batch-${name}.mp4`, 1)));
  const folder = join(fixture.folder, 'batches');
  const execution = await on.stage.run(
    {
      resource: 'batch',
      operation: 'start',
      rowSource: '={{ $json.path }}',
      title: '={{ $json.title }}',
      folder,
      host: WORKER_HOST,
      batchId: BATCH,
      wait: true,
    },
    { items: files.map(({ path }, index) => ({ json: { path, title: `Batch ${index}` } })) },
  );
  expect(execution.error).toBeUndefined();
  expect(execution.items.map(({ json }) => json)).toEqual([
    expect.objectContaining({ batchId: BATCH, counts: expect.objectContaining({ rows: 3, completed: 3 }) }),
  ]);
  const results = await readFile(join(folder, BATCH, 'results.csv'), 'utf8');
  expect(results.match(/,COMPLETED,/g)).toHaveLength(3);
  const sessions = fixture.simulator
    .seen()
    .sessions.filter(({ title }) => title?.startsWith('Batch ') === true);
  const stored = await Promise.all(sessions.map(({ uploadId }) => fixture.storedSha256(uploadId)));
  expect(stored.sort()).toEqual(files.map(({ sha256 }) => sha256).sort());

  await listedAsEnded();
  const triggered = await runTrigger();
  expect(triggered.output('After').map(({ json }) => json)).toEqual([
    expect.objectContaining({ batchId: BATCH, status: 'COMPLETED', folder: join(folder, BATCH) }),
  ]);
  for (const { text } of [execution, triggered])
    for (const trace of SECRET_TRACES) expect(text).not.toContain(trace);
});

describe('a batch from a manifest', () => {
  let bucket: WorkerBucket;
  beforeAll(async () => {
    bucket = await openWorkerBucket(on.stage.fixture.s3, 'manifests');
  });
  afterAll(() => bucket.close());

  /** Two files below the worker's folder, and the rows that name them there. */
  async function writeRows(name: string): Promise<{ paths: string[]; sums: string[]; csv: string }> {
    const names = [`${name}-0.mp4`, `${name}-1.mp4`];
    const files = await Promise.all(names.map((file) => on.stage.fixture.writeFile(file, 1)));
    const rows = names.map((file, index) => `${file},${name} ${String(index)},row-${String(index)}`);
    return {
      paths: files.map(({ path }) => path),
      sums: files.map(({ sha256 }) => sha256).sort(),
      csv: ['source,title,id', ...rows, ''].join('\n'),
    };
  }

  /** Runs the batch to its end. Every file must be stored, and n8n must keep no secret. */
  async function runBatch(
    batchId: string,
    parameters: INodeParameters & { readonly folder: string },
    sums: readonly string[],
  ): Promise<BatchRun> {
    const { fixture } = on.stage;
    const start = { resource: 'batch', operation: 'start', rowsFrom: 'manifest', batchId, wait: true };
    const { error, items, text } = await on.stage.run({ ...start, ...parameters });
    expect(error).toBeUndefined();
    const folder = `${parameters.folder}/${batchId}`;
    expect(items.map(({ json }) => json)).toEqual([
      expect.objectContaining({
        batchId,
        joined: false,
        counts: expect.objectContaining({ rows: 2, completed: 2, failed: 0, cancelled: 0 }),
        results: { csv: `${folder}/results.csv`, jsonl: `${folder}/results.jsonl` },
      }),
    ]);
    const sessions = fixture.simulator
      .seen()
      .sessions.filter(({ title }) => title?.startsWith(`${batchId} `));
    const stored = await Promise.all(sessions.map(({ uploadId }) => fixture.storedSha256(uploadId)));
    expect(stored.sort()).toEqual(sums);
    for (const trace of SECRET_TRACES) expect(text).not.toContain(trace);
    return { results: `${folder}/results.csv`, workflowId: items[0]?.json['workflowId'], text };
  }

  test('uploads a manifest on the worker, with paths relative to its folder', async () => {
    const { csv, sums } = await writeRows('by-path');
    const manifest = join(on.stage.fixture.folder, 'by-path.csv');
    await writeFile(manifest, csv);
    const folder = join(on.stage.fixture.folder, 'batches');
    const { results } = await runBatch('by-path', { manifest, folder, host: WORKER_HOST }, sums);
    expect((await readFile(results, 'utf8')).match(/,COMPLETED,/g)).toHaveLength(2);
  });

  test('reads a signed http address whose signature stays out of Temporal, the execution and the log', async () => {
    const { csv, sums } = await writeRows('by-http');
    const { folder } = on.stage.fixture;
    const path = join(folder, 'by-http.csv');
    await writeFile(path, csv);
    const signature = 'manifest-canary-7d21';
    const server = await serveFile(path, `X-Manifest-Signature=${signature}`);
    try {
      const options = { sourceFolder: folder };
      const where = { manifest: server.url, folder: join(folder, 'batches'), host: WORKER_HOST, options };
      const { results, workflowId, text } = await runBatch('by-http', where, sums);
      expect((await readFile(results, 'utf8')).match(/,COMPLETED,/g)).toHaveLength(2);
      expect(secretsIn(server.asked.join('\n'), [signature])).toEqual([signature]);
      const kept = await keptByTemporal(on.stage.fixture, workflowId);
      expect(kept).toContain('by-http.csv');
      expect(secretsIn(kept, [signature, ...SECRET_TRACES])).toEqual([]);
      expect(secretsIn(`${text}\n${on.stage.n8n.process.log()}`, [signature])).toEqual([]);
      // The workflow itself contains what its author wrote into the field, and the same search finds it there.
      const found = await secretsKept(on.stage.n8n, [signature]);
      expect(found.length).toBeGreaterThan(0);
      expect(found.filter((file) => !file.startsWith('database.sqlite'))).toEqual([]);
    } finally {
      await server.close();
    }
  });

  test('reads manifest and files from S3, and writes its results there', async () => {
    const { paths, sums } = await writeRows('by-s3');
    for (const [index, path] of paths.entries()) await bucket.put(`film-${index}.mp4`, await readFile(path));
    const rows = paths.map((_path, index) => ({
      source: `${bucket.address}/film-${index}.mp4`,
      title: `by-s3 ${index}`,
    }));
    await bucket.put('list.jsonl', rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const where = { manifest: `${bucket.address}/list.jsonl`, folder: `${bucket.address}/batches` };
    await runBatch('by-s3', where, sums);
    const results = await bucket.text('batches/by-s3/results.csv');
    expect(results.match(/,COMPLETED,/g)).toHaveLength(2);
  });

  test('stops the node that starts it if there is a mistake, even when the node does not wait for the end', async () => {
    await bucket.put('wrong.csv', 'source,tilte\n/one.mp4,One\n');
    const parameters = { manifest: `${bucket.address}/wrong.csv`, folder: `${bucket.address}/batches` };
    const start = { resource: 'batch', operation: 'start', rowsFrom: 'manifest', batchId: 'wrong' };
    const { error, items } = await on.stage.run({ ...start, ...parameters });
    expect(items).toEqual([]);
    expect(error?.message).toMatch(/^The manifest has 1 mistake: line 1, tilte/);
  });
});
