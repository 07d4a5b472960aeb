import { afterTest } from '../../support/after-test';
import { serveFile } from '../../support/range-server';
import { activateWorkflow, deactivateWorkflow, runWorkflow } from '../support/n8n-executions';
import type { OnStage } from '../support/n8n-stage';
import { startPostReceiver } from '../../support/post-receiver';
import { importTemplate, listedAsEnded, withValues } from './support/import-template';
import { until } from '../../support/until';

export function describeHandOffTemplate(on: OnStage): void {
  describe('worker-hand-off', () => {
    const FILE = 'worker-hand-off.json';

    /** Publishes the template for one file, hands it over, and returns what the system received. */
    const handOver = async (url: string, order: string) => {
      const { rest } = on.stage.n8n;
      const system = await startPostReceiver();
      afterTest(() => system.close());
      const id = await importTemplate(on.stage, FILE, {
        parameters: {
          'The files': await withValues(FILE, 'The files', { url, title: 'Kitchen', order }),
          'When an upload finished': { options: { startFrom: '-5m' } },
          'Report ready': { url: `${system.url}/ready` },
          'Report failure': { url: `${system.url}/failed` },
        },
      });
      const execution = await runWorkflow(rest, id, 'Start');
      expect(execution.error).toBeUndefined();
      const [handed] = execution.output('Hand over to a worker');
      await listedAsEnded(on.stage, 'upload', handed?.json['workflowId']);
      // The trigger polls when the workflow is published.
      await activateWorkflow(rest, id);
      // A new template also returns earlier orders again.
      const reported = await until(
        `the system hears of ${order}`,
        () => system.next(),
        ({ body }) => body['order'] === order,
        { pauseMs: 0 },
      );
      await deactivateWorkflow(rest, id);
      return reported;
    };

    test.each([
      ['COMPLETED', { path: '/ready', body: { uploadId: expect.any(String), mediaId: expect.any(String) } }],
      ['FAILED', { path: '/failed', body: { status: 'FAILED', workflowId: expect.any(String) } }],
    ])(
      'lets n8n continue at once, and notifies the system when the upload is %s',
      async (status, { path, body }) => {
        const { fixture } = on.stage;
        if (status === 'FAILED') fixture.simulator.fault('processing-failed:codec not supported');
        const file = await fixture.writeFile('kitchen.mp4', 11);
        const server = await serveFile(file.path);
        afterTest(() => server.close());
        const order = `order-${status}`;
        expect(await handOver(server.url.replace(/\?.*/, ''), order)).toEqual({
          path,
          body: { order, ...body },
        });
        if (status === 'COMPLETED')
          expect(await fixture.storedSha256(fixture.simulator.seen().sessions.at(-1)?.uploadId)).toBe(
            file.sha256,
          );
      },
    );
  });
}
