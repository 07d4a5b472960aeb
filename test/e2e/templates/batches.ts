import { join } from 'node:path';
import { afterTest } from '../../support/after-test';
import { asText } from '../../n8n/support/as-text';
import { activateWorkflow, deactivateWorkflow, runWorkflow } from '../support/n8n-executions';
import type { Stage } from '../support/n8n-stage';
import { WORKER_HOST } from '../support/service-fixture';
import { startPostReceiver } from '../../support/post-receiver';
import { importTemplate, listedAsEnded, withValues } from './support/import-template';

const FILE = 'batch-from-list.json';

export function describeBatchTemplates(on: Stage): void {
  test('batch-from-list stores every file of the list, and reports the end of the batch in the chat', async () => {
    const { fixture, n8n } = on;
    const chat = await startPostReceiver();
    afterTest(() => chat.close());
    const files = await Promise.all(['one', 'two'].map((name) => fixture.writeFile(`${name}.mp4`, 1)));
    const list = files.map(({ path }, index) => ({
      source: path,
      title: `Film ${index}`,
      id: `row-${index}`,
    }));
    const folder = join(fixture.folder, 'batches');
    const id = await importTemplate(on, FILE, {
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
    await listedAsEnded(on, 'batch', batchId);
    // The trigger polls when the workflow is published.
    await activateWorkflow(n8n.rest, id);
    const { body } = await chat.next();
    await deactivateWorkflow(n8n.rest, id);
    expect(body).toEqual({
      text: `${batchId} (completed): 2 of 2 files uploaded, 0 failed. Results: ${join(folder, batchId)}`,
    });
    const titles = fixture.simulator.seen().sessions.map(({ title }) => title);
    expect(titles).toEqual(expect.arrayContaining(['Film 0', 'Film 1']));
  });
}
