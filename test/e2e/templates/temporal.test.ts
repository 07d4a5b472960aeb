import { afterAll, beforeAll, afterEach, describe, expect, test } from '@jest/globals';
import { serveFile } from '../../support/range-server';
import { activateWorkflow, deactivateWorkflow, runWorkflow } from '../support/n8n-executions';
import { useStage } from '../support/n8n-stage';
import { startHookServer } from './support/hook-server';
import type { HookCall, HookServer } from './support/hook-server';
import { importTemplate, withValues } from './support/import-template';

const on = useStage();
afterEach(() => on.stage.bed.simulator.clearFaults());

describe('temporal-hand-off', () => {
  const FILE = 'temporal-hand-off.json';
  let system: HookServer;
  beforeAll(async () => {
    system = await startHookServer();
  });
  afterAll(() => system.close());

  /** Publishes the template for one file, hands it over, and gives what the system was told. */
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
    const handed = execution.output('Hand over to Temporal')[0]?.json;
    await ended(handed?.['workflowId']);
    // The trigger polls when the workflow is published.
    await activateWorkflow(rest, id);
    const told = await toldOf(order);
    await deactivateWorkflow(rest, id);
    return { execution, handed, told };
  };

  /** What the system was told of this order; the trigger brings those before once more, since each template is a new one. */
  const toldOf = async (order: string): Promise<HookCall> => {
    for (;;) {
      const call = await system.next();
      if ((call.body as { order: string }).order === order) return call;
    }
  };

  /** Temporal's index shows the end of an upload a moment later. */
  const ended = async (workflowId: unknown): Promise<void> => {
    for (;;) {
      const { items } = await on.stage.run({ resource: 'upload', operation: 'getMany', returnAll: true });
      const upload = items.find(({ json }) => json['workflowId'] === workflowId);
      if (upload !== undefined && upload.json['status'] !== 'RUNNING') return;
    }
  };

  test('n8n goes on at once, and once the upload is COMPLETED the system is told', async () => {
    const { bed } = on.stage;
    const file = await bed.writeFile('kitchen.mp4', 11);
    const server = await serveFile(file.path);
    try {
      const { execution, told } = await handOver(server.url.replace(/\?.*/, ''), 'order-1');
      expect(execution.error).toBeUndefined();
      const { path, body } = told;
      expect([path, body]).toEqual([
        '/ready',
        { order: 'order-1', uploadId: expect.any(String), mediaId: expect.any(String) },
      ]);
      expect(await bed.storedSha256((body as { uploadId: string }).uploadId)).toBe(file.sha256);
    } finally {
      await server.close();
    }
  });

  test('an upload that the service cannot process is told as failed', async () => {
    const { bed } = on.stage;
    bed.simulator.fault('processing-failed:codec not supported');
    const file = await bed.writeFile('broken.mp4', 6);
    const server = await serveFile(file.path);
    try {
      const { handed, told } = await handOver(server.url.replace(/\?.*/, ''), 'order-2');
      const { workflowId } = handed ?? {};
      expect(told).toEqual({ path: '/failed', body: { order: 'order-2', status: 'FAILED', workflowId } });
    } finally {
      await server.close();
    }
  });
});
