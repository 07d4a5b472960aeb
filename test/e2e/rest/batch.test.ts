import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { INodeParameters } from 'n8n-workflow';
import { serveFile } from '../../support/range-server';
import {
  activateWorkflow,
  deactivateWorkflow,
  executionsOf,
  importWorkflow,
  waitForExecution,
} from '../support/n8n-executions';
import type { Execution } from '../support/n8n-executions';
import { NODE_TYPE, nodeOf, useStage } from '../support/n8n-stage';
import { SECRET_TRACES, WORKER_HOST } from '../support/service-bed';
import { openWorkerBucket } from '../support/worker-bucket';
import type { WorkerBucket } from '../support/worker-bucket';

const on = useStage();
const TRIGGER = 'When a batch finished';
const BATCH = 'e2e-batch';
/** It does not come while the test runs. */
const FAR_MINUTE = (new Date().getUTCMinutes() + 30) % 60;

/** Publishes a workflow with the trigger alone, which polls at that moment and once an hour; the execution that it starts. */
async function runTrigger(): Promise<Execution> {
  const { rest } = on.stage.n8n;
  const trigger = nodeOf(TRIGGER, `${NODE_TYPE}Trigger`, {
    event: 'batchFinished',
    options: { startFrom: '-5m' },
    pollTimes: { item: [{ mode: 'everyHour', minute: FAR_MINUTE }] },
  });
  const workflow = await importWorkflow(rest, {
    nodes: [
      { ...trigger, credentials: { ...on.stage.credentials } },
      nodeOf('After', 'n8n-nodes-base.noOp', {}),
    ],
    connections: { [TRIGGER]: { main: [[{ node: 'After', type: 'main', index: 0 }]] } },
  });
  await activateWorkflow(rest, workflow);
  for (;;) {
    const [id] = await executionsOf(rest, workflow);
    if (id === undefined) continue;
    const ended = await waitForExecution(rest, id);
    await deactivateWorkflow(rest, workflow);
    return ended;
  }
}

/** Temporal's index shows the end of a batch a moment later. */
async function listedAsEnded(): Promise<void> {
  for (;;) {
    const { items } = await on.stage.run({ resource: 'batch', operation: 'getMany', returnAll: true });
    if (items.some(({ json }) => json['batchId'] === BATCH && json['status'] === 'COMPLETED')) return;
  }
}

test('a workflow starts a batch of its items and waits for it; the trigger starts another one with how it ended', async () => {
  const { bed } = on.stage;
  const files = await Promise.all(['a', 'b', 'c'].map((name) => bed.writeFile(`batch-${name}.mp4`, 1)));
  const folder = join(bed.folder, 'batches');
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
  const account = await readFile(join(folder, BATCH, 'account.csv'), 'utf8');
  expect(account.match(/,COMPLETED,/g)).toHaveLength(3);
  const sessions = bed.simulator.seen().sessions.filter(({ title }) => title?.startsWith('Batch ') === true);
  const stored = await Promise.all(sessions.map(({ uploadId }) => bed.storedSha256(uploadId)));
  expect(stored.sort()).toEqual(files.map(({ sha256 }) => sha256).sort());

  await listedAsEnded();
  const triggered = await runTrigger();
  expect(triggered.output('After').map(({ json }) => json)).toEqual([
    expect.objectContaining({ batchId: BATCH, status: 'COMPLETED', folder: join(folder, BATCH) }),
  ]);
  for (const { text } of [execution, triggered])
    for (const trace of SECRET_TRACES) expect(text).not.toContain(trace);
});

describe('a batch of a manifest', () => {
  let bucket: WorkerBucket;
  beforeAll(async () => {
    bucket = await openWorkerBucket(on.stage.bed.s3, 'manifests');
  });
  afterAll(() => bucket.close());

  /** Two files below the worker's folder, and the rows that name them there. */
  async function writeRows(name: string): Promise<{ paths: string[]; sums: string[]; csv: string }> {
    const names = [`${name}-0.mp4`, `${name}-1.mp4`];
    const files = await Promise.all(names.map((file) => on.stage.bed.writeFile(file, 1)));
    const rows = names.map((file, index) => `${file},${name} ${String(index)},row-${String(index)}`);
    return {
      paths: files.map(({ path }) => path),
      sums: files.map(({ sha256 }) => sha256).sort(),
      csv: ['source,title,id', ...rows, ''].join('\n'),
    };
  }

  /** Runs it to its end, with every file stored and nothing secret in what n8n keeps. */
  async function runBatch(
    batchId: string,
    parameters: INodeParameters & { readonly folder: string },
    sums: readonly string[],
  ): Promise<string> {
    const { bed } = on.stage;
    const start = { resource: 'batch', operation: 'start', rowsFrom: 'manifest', batchId, wait: true };
    const { error, items, text } = await on.stage.run({ ...start, ...parameters });
    expect(error).toBeUndefined();
    const folder = `${parameters.folder}/${batchId}`;
    expect(items.map(({ json }) => json)).toEqual([
      expect.objectContaining({
        batchId,
        joined: false,
        counts: expect.objectContaining({ rows: 2, completed: 2, failed: 0, cancelled: 0 }),
        account: { csv: `${folder}/account.csv`, jsonl: `${folder}/account.jsonl` },
      }),
    ]);
    const sessions = bed.simulator.seen().sessions.filter(({ title }) => title?.startsWith(`${batchId} `));
    const stored = await Promise.all(sessions.map(({ uploadId }) => bed.storedSha256(uploadId)));
    expect(stored.sort()).toEqual(sums);
    for (const trace of SECRET_TRACES) expect(text).not.toContain(trace);
    return `${folder}/account.csv`;
  }

  test('that is a file on the worker, whose relative paths begin beside it', async () => {
    const { csv, sums } = await writeRows('by-path');
    const manifest = join(on.stage.bed.folder, 'by-path.csv');
    await writeFile(manifest, csv);
    const folder = join(on.stage.bed.folder, 'batches');
    const account = await runBatch('by-path', { manifest, folder, host: WORKER_HOST }, sums);
    expect((await readFile(account, 'utf8')).match(/,COMPLETED,/g)).toHaveLength(2);
  });

  test('behind a signed http address, of which n8n and Temporal keep no signature', async () => {
    const { csv, sums } = await writeRows('by-http');
    const { folder } = on.stage.bed;
    const path = join(folder, 'by-http.csv');
    await writeFile(path, csv);
    const server = await serveFile(path, 'X-Amz-Signature=canary-of-the-manifest');
    try {
      const options = { sourceFolder: folder };
      const where = { manifest: server.url, folder: join(folder, 'batches'), host: WORKER_HOST, options };
      const account = await runBatch('by-http', where, sums);
      expect((await readFile(account, 'utf8')).match(/,COMPLETED,/g)).toHaveLength(2);
    } finally {
      await server.close();
    }
  });

  test('in S3, of files in S3, with its account in S3', async () => {
    const { paths, sums } = await writeRows('by-s3');
    for (const [index, path] of paths.entries()) await bucket.put(`film-${index}.mp4`, await readFile(path));
    const rows = paths.map((_path, index) => ({
      source: `${bucket.address}/film-${index}.mp4`,
      title: `by-s3 ${index}`,
    }));
    await bucket.put('list.jsonl', rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const where = { manifest: `${bucket.address}/list.jsonl`, folder: `${bucket.address}/batches` };
    await runBatch('by-s3', where, sums);
    const account = await bucket.text('batches/by-s3/account.csv');
    expect(account.match(/,COMPLETED,/g)).toHaveLength(2);
  });

  test('with a mistake stops the node that starts it, also where it does not wait for the end', async () => {
    await bucket.put('wrong.csv', 'source,tilte\n/one.mp4,One\n');
    const parameters = { manifest: `${bucket.address}/wrong.csv`, folder: `${bucket.address}/batches` };
    const start = { resource: 'batch', operation: 'start', rowsFrom: 'manifest', batchId: 'wrong' };
    const { error, items } = await on.stage.run({ ...start, ...parameters });
    expect(items).toEqual([]);
    expect(error?.message).toMatch(/^The manifest has 1 mistake: line 1, tilte/);
  });
});
