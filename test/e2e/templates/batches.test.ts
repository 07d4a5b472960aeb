import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { asText } from '../../n8n/support/as-text';
import { activateWorkflow, deactivateWorkflow, runWorkflow } from '../support/n8n-executions';
import { useStage } from '../support/n8n-stage';
import { WORKER_HOST } from '../support/service-bed';
import { startHookServer } from './support/hook-server';
import type { HookServer } from './support/hook-server';
import { importTemplate, withValues } from './support/import-template';

const FILE = 'batch-from-list.json';

const on = useStage();
let chat: HookServer;
beforeAll(async () => {
  chat = await startHookServer();
});
afterAll(() => chat.close());

/** Temporal's index shows the end of a batch a moment later. */
async function ended(batchId: unknown): Promise<void> {
  for (;;) {
    const { items } = await on.stage.run({ resource: 'batch', operation: 'getMany', returnAll: true });
    const batch = items.find(({ json }) => json['batchId'] === batchId);
    if (batch !== undefined && batch.json['status'] !== 'RUNNING') return;
  }
}

test('batch-from-list: all files of the list are stored, and the chat is told how the batch ended', async () => {
  const { bed, n8n } = on.stage;
  const files = await Promise.all(['one', 'two'].map((name) => bed.writeFile(`${name}.mp4`, 1)));
  const list = files.map(({ path }, index) => ({ source: path, title: `Film ${index}`, id: `row-${index}` }));
  const folder = join(bed.folder, 'batches');
  const id = await importTemplate(on.stage, FILE, {
    parameters: {
      'The list': await withValues(FILE, 'The list', { files: JSON.stringify(list) }),
      'Start the batch': { folder, host: WORKER_HOST },
      'When a batch finished': { options: { startFrom: '-5m' } },
      'Post to the chat': { url: `${chat.url}/chat` },
    },
  });
  const execution = await runWorkflow(n8n.rest, id, 'Start');
  expect(execution.error).toBeUndefined();
  const [started] = execution.output('Start the batch');
  const batchId = asText(started?.json['batchId']);
  expect(batchId).toMatch(/^list-\d{4}-\d{2}-\d{2}$/);
  await ended(batchId);
  // The trigger polls when the workflow is published.
  await activateWorkflow(n8n.rest, id);
  const { body } = await chat.next();
  await deactivateWorkflow(n8n.rest, id);
  expect(body).toEqual({
    text: `${batchId} (completed): 2 of 2 files uploaded, 0 failed. Account: ${join(folder, batchId)}`,
  });
  const sessions = bed.simulator.seen().sessions.filter(({ title }) => title?.startsWith('Film') === true);
  const stored = await Promise.all(sessions.map(({ uploadId }) => bed.storedSha256(uploadId)));
  expect(stored.sort()).toEqual(files.map(({ sha256 }) => sha256).sort());
});
