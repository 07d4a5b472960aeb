import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { serveFile } from '../../support/range-server';
import { activateWorkflow, deactivateWorkflow, runWorkflow } from '../support/n8n-executions';
import type { OnStage } from '../support/n8n-stage';
import { startHookServer } from './support/hook-server';
import type { HookCall, HookServer } from './support/hook-server';
import { importTemplate, withValues } from './support/import-template';
import { until } from '../../support/until';

export function describeHandOffTemplate(on: OnStage): void {
  describe('worker-hand-off', () => {
    const FILE = 'worker-hand-off.json';
    let system: HookServer;
    beforeAll(async () => {
      system = await startHookServer();
    });
    afterAll(() => system.close());

    /** Publishes the template for one file, hands it over, and returns what the system received. */
    const handOver = async (url: string, order: string) => {
      const { rest } = on.stage.n8n;
      const id = await importTemplate(on.stage, FILE, {
        parameters: {
          'The files': await withValues(FILE, 'The files', { url, title: 'Kitchen', order }),
          'When an upload finished': { options: { startFrom: '-5m' } },
          'Report ready': { url: `${system.url}/ready` },
          'Report failure': { url: `${system.url}/failed` },
        },
      });
      const execution = await runWorkflow(rest, id, 'Start');
      const handed = execution.output('Hand over to a worker')[0]?.json;
      await ended(handed?.['workflowId']);
      // The trigger polls when the workflow is published.
      await activateWorkflow(rest, id);
      const reported = await reportedOf(order);
      await deactivateWorkflow(rest, id);
      return { execution, handed, reported };
    };

    /**
     * What the system received for this order. The trigger also returns earlier orders again, since each template is new.
     */
    const reportedOf = (order: string): Promise<HookCall> =>
      until(
        `the system hears of ${order}`,
        () => system.next(),
        ({ body }) => (body as { order: string }).order === order,
        { pauseMs: 0 },
      );

    /** Temporal's index shows the end of an upload a moment later. */
    const ended = async (workflowId: unknown): Promise<void> => {
      await until(
        `${String(workflowId)} is listed as ended`,
        async () => {
          const { items } = await on.stage.run({ resource: 'upload', operation: 'getMany', returnAll: true });
          return items.find(({ json }) => json['workflowId'] === workflowId)?.json['status'];
        },
        (status) => status !== undefined && status !== 'RUNNING',
      );
    };

    test('lets n8n continue at once, and notifies the system when the upload is COMPLETED', async () => {
      const { fixture } = on.stage;
      const file = await fixture.writeFile('kitchen.mp4', 11);
      const server = await serveFile(file.path);
      try {
        const { execution, reported } = await handOver(server.url.replace(/\?.*/, ''), 'order-1');
        expect(execution.error).toBeUndefined();
        const { path, body } = reported;
        expect([path, body]).toEqual([
          '/ready',
          { order: 'order-1', uploadId: expect.any(String), mediaId: expect.any(String) },
        ]);
        expect(await fixture.storedSha256((body as { uploadId: string }).uploadId)).toBe(file.sha256);
      } finally {
        await server.close();
      }
    });

    test("reports an upload that the service can't process as failed", async () => {
      const { fixture } = on.stage;
      fixture.simulator.fault('processing-failed:codec not supported');
      const file = await fixture.writeFile('broken.mp4', 6);
      const server = await serveFile(file.path);
      try {
        const { handed, reported } = await handOver(server.url.replace(/\?.*/, ''), 'order-2');
        const { workflowId } = handed ?? {};
        expect(reported).toEqual({
          path: '/failed',
          body: { order: 'order-2', status: 'FAILED', workflowId },
        });
      } finally {
        await server.close();
      }
    });
  });
}
