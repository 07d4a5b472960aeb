import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
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

const on = useStage();
const TRIGGER = 'When a batch ended';
const BATCH = 'e2e-batch';

/** Publishes a workflow with the trigger alone, which polls at that moment and once an hour; the execution that it starts. */
async function runTrigger(): Promise<Execution> {
  const { rest } = on.stage.n8n;
  const trigger = nodeOf(TRIGGER, `${NODE_TYPE}Trigger`, {
    event: 'batchEnded',
    options: { startFrom: '-5m' },
    pollTimes: { item: [{ mode: 'everyHour', minute: 59 }] },
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
}, 180_000);
