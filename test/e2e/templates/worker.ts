import { afterTest } from '../../support/after-test';
import { activateWorkflow, deactivateWorkflow, runWorkflow } from '../support/n8n-executions';
import type { Stage } from '../support/n8n-stage';
import { startPostReceiver } from '../../support/post-receiver';
import { importTemplate, listedAsEnded, withValues } from './support/import-template';
import { until } from '../../support/until';

const FILE = 'worker-hand-off.json';

export function describeHandOffTemplate(on: Stage): void {
  test.each([
    ['COMPLETED', { path: '/ready', body: { uploadId: expect.any(String), mediaId: expect.any(String) } }],
    ['FAILED', { path: '/failed', body: { status: 'FAILED', workflowId: expect.any(String) } }],
  ])(
    'worker-hand-off lets n8n continue at once, and notifies the system when the upload is %s',
    async (status, { path, body }) => {
      const { fixture, n8n } = on;
      if (status === 'FAILED') fixture.simulator.fault('processing-failed:codec not supported');
      const system = await startPostReceiver();
      afterTest(() => system.close());
      const file = await fixture.writeFile('kitchen.mp4', 11);
      const { url } = await fixture.serveFile(file.path);
      const order = `order-${status}`;
      const given = { url: url.replace(/\?.*/, ''), title: 'Kitchen', order };
      const id = await importTemplate(on, FILE, {
        parameters: {
          'The files': await withValues(FILE, 'The files', given),
          'When an upload finished': { options: { startFrom: '-5m' } },
          'Report ready': { url: `${system.url}/ready` },
          'Report failure': { url: `${system.url}/failed` },
        },
      });
      const execution = await runWorkflow(n8n.rest, id, 'Start');
      expect(execution.error).toBeUndefined();
      const [handed] = execution.output('Hand over to a worker');
      await listedAsEnded(on, 'upload', handed?.json['workflowId']);
      // The trigger polls when the workflow is published.
      await activateWorkflow(n8n.rest, id);
      // A new template also returns earlier orders again.
      const reported = await until(
        `the system hears of ${order}`,
        () => system.next(),
        (post) => post.body['order'] === order,
        { pauseMs: 0 },
      );
      await deactivateWorkflow(n8n.rest, id);
      expect(reported).toEqual({ path, body: { order, ...body } });
    },
  );
}
