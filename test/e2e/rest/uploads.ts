import { describe, expect, test } from '@jest/globals';
import { afterTest } from '../../support/after-test';
import type { INodeParameters } from 'n8n-workflow';
import { secretsIn } from '../../support/canary';
import { serveFile } from '../../support/range-server';
import { importWorkflow } from '../support/n8n-executions';
import { secretsKept } from '../support/kept-by-n8n';
import { keptByTemporal } from '../support/kept-by-temporal';
import { workflowOf } from '../support/n8n-stage';
import type { NodeRun, NodeRunResult, OnStage } from '../support/n8n-stage';

export function describeUploads(on: OnStage): void {
  const upload = (parameters: INodeParameters, how?: NodeRun): Promise<NodeRunResult> =>
    on.stage.run({ resource: 'upload', operation: 'upload', simplify: false, ...parameters }, how);
  describe('on a worker', () => {
    test('the worker reads a signed URL, and Temporal, the execution and the log keep no signature', async () => {
      const signature = 'signature-canary-5b0c';
      const file = await on.stage.fixture.writeFile('remote.mp4', 6);
      const server = await serveFile(file.path, `X-Source-Signature=${signature}`);
      afterTest(() => server.close());
      const sent = await upload({ runIn: 'worker', source: 'url', url: server.url });
      expect(sent.error).toBeUndefined();
      const { uploadId, workflowId } = sent.items[0]?.json ?? {};
      expect(await on.stage.fixture.storedSha256(uploadId)).toBe(file.sha256);
      expect(secretsIn(server.asked.join('\n'), [signature])).toEqual([signature]);
      const kept = await keptByTemporal(on.stage.fixture, workflowId);
      expect(kept).toContain('remote.mp4');
      expect(sent.text).toContain('COMPLETED');
      expect(secretsIn([kept, sent.text, on.stage.n8n.process.log()].join('\n'), [signature])).toEqual([]);
      // The workflow itself contains what its author wrote into the field.
      const files = await secretsKept(on.stage.n8n, [signature]);
      expect(files.length).toBeGreaterThan(0);
      expect(files.filter((file) => !file.startsWith('database.sqlite'))).toEqual([]);
    });
  });

  test('inside n8n, a URL ends COMPLETED without a credential of a worker, with identical bytes in storage', async () => {
    const file = await on.stage.fixture.writeFile('inside.mp4', 17);
    const server = await serveFile(file.path);
    afterTest(() => server.close());
    const parameters = { source: 'url', url: server.url, title: 'Kitchen, after' };
    const { items, error } = await upload(parameters, { credentials: on.stage.withoutTemporal });
    expect(error).toBeUndefined();
    expect(items[0]?.json).toMatchObject({ status: 'COMPLETED', bytes: 17 * 1024 * 1024 });
    expect(await on.stage.fixture.storedSha256(items[0]?.json['uploadId'])).toBe(file.sha256);
  });

  test("inside n8n's command line, which nothing but pauses keeps running, an upload waits until it is COMPLETED", async () => {
    const { n8n, fixture, withoutTemporal } = on.stage;
    const { path } = await fixture.writeFile('at-the-command-line.mp4', 6);
    const server = await serveFile(path);
    afterTest(() => server.close());
    // A pause after the first try, and pauses between the polls.
    fixture.simulator.fault('start-503');
    const parameters = { resource: 'upload', operation: 'upload', source: 'url', url: server.url };
    const id = await importWorkflow(n8n.rest, workflowOf(parameters, { credentials: withoutTemporal }));
    const output = await n8n.cli(['execute', `--id=${id}`, '--rawOutput']);
    expect(output).toMatch(/"status": "COMPLETED"/);
    expect(output).toContain('at-the-command-line.mp4');
  });
}
