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
import { NODE_TYPE, nodeOf } from '../support/n8n-stage';
import type { OnStage, Stage } from '../support/n8n-stage';
import { SECRET_TRACES, WORKER_HOST } from '../support/service-fixture';
import { NO_POLL_TIMES } from '../support/poll-times';
import { until } from '../../support/until';

const TRIGGER = 'When a batch finished';
const BATCH = 'e2e-batch';

/**
 * Publishes a workflow with only the trigger, which polls at once. Returns the execution that it starts.
 */
async function runTrigger({ n8n: { rest }, credentials }: Stage): Promise<Execution> {
  const trigger = nodeOf(TRIGGER, `${NODE_TYPE}Trigger`, {
    event: 'batchFinished',
    options: { startFrom: '-5m' },
    pollTimes: NO_POLL_TIMES,
  });
  const workflow = await importWorkflow(rest, {
    nodes: [{ ...trigger, credentials: { ...credentials } }, nodeOf('After', 'n8n-nodes-base.noOp', {})],
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

/** Temporal's index shows the end of a batch a moment later. */
async function listedAsEnded(stage: Stage): Promise<void> {
  await until(
    `${BATCH} is listed as COMPLETED`,
    async () => (await stage.run({ resource: 'batch', operation: 'getMany', returnAll: true })).items,
    (items) => items.some(({ json }) => json['batchId'] === BATCH && json['status'] === 'COMPLETED'),
  );
}

export function describeBatches(on: OnStage): void {
  test('a workflow starts a batch of its items and waits for it; its end starts another workflow through the trigger', async () => {
    const { fixture } = on.stage;
    const files = await Promise.all(['a', 'b', 'c'].map((name) => fixture.writeFile(`batch-${name}.mp4`, 1)));
    const folder = join(fixture.folder, 'batches');
    const execution = await on.stage.run(
      {
        resource: 'batch',
        operation: 'start',
        folder,
        host: WORKER_HOST,
        batchId: BATCH,
        wait: true,
      },
      { items: files.map(({ path }, index) => ({ json: { source: path, title: `Batch ${index}` } })) },
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

    await listedAsEnded(on.stage);
    const triggered = await runTrigger(on.stage);
    expect(triggered.output('After').map(({ json }) => json)).toEqual([
      expect.objectContaining({ batchId: BATCH, status: 'COMPLETED', folder: join(folder, BATCH) }),
    ]);
    for (const { text } of [execution, triggered])
      for (const trace of SECRET_TRACES) expect(text).not.toContain(trace);
  });
}
